// What views ask servers for: shown as loading until it is there, and with the reason and a way to ask again where it fails.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "./messages.ts";
import { usePolling } from "./polling.ts";
import { messageOf } from "./toasts.tsx";

/** How a question stands. */
export interface AskedState {
  /** Why the last question failed; absent where it did not. */
  readonly failure: string | undefined;
  /** Whether an answer is awaited that the view cannot do without. */
  readonly isBusy: boolean;
  /** Asks again. Never rejects: a failure is shown where the answer would be. */
  readonly refresh: () => Promise<void>;
}

/** An answer that a view shows. */
export interface Asked<T> extends AskedState {
  /** The last answer; absent until the first one. */
  readonly answer: T | undefined;
}

interface Known<T> {
  readonly answer?: T;
  readonly failure?: string;
  readonly isBusy: boolean;
}

/**
 * Asks when a view opens, whenever `keys` change, and with `every` also that many milliseconds after each answer. The answer to
 * the newest question counts; the former one stays until then.
 */
export function useAsked<T>(
  ask: () => Promise<T>,
  { keys = [], every }: { readonly keys?: readonly unknown[]; readonly every?: number } = {},
): Asked<T> {
  const [known, setKnown] = useState<Known<T>>({ isBusy: true });
  const newest = useRef(0);
  const latest = useRef(ask);
  latest.current = ask;
  const refresh = async () => {
    newest.current += 1;
    const own = newest.current;
    const tell = (change: (before: Known<T>) => Known<T>) => {
      if (own === newest.current) setKnown(change);
    };
    try {
      const answer = await latest.current();
      tell(() => ({ answer, isBusy: false }));
    } catch (error) {
      tell(({ failure: _, ...before }) => ({ ...before, failure: messageOf(error), isBusy: false }));
    }
  };
  const load = async () => {
    setKnown((before) => ({ ...before, isBusy: true }));
    await refresh();
  };
  useEffect(() => {
    if (every === undefined) void load();
    else setKnown((before) => ({ ...before, isBusy: true }));
    return () => {
      newest.current += 1;
    };
  }, keys);
  usePolling(refresh, every ?? 0, keys, every !== undefined);
  const { answer, failure, isBusy } = known;
  return { answer, failure, isBusy, refresh };
}

/** Shows an answer; what stands for it until it is there, and why it is not. */
export function Awaited<T>(options: {
  readonly asked: Asked<T>;
  /** What it is, such as `Documentation`. */
  readonly name: string;
  readonly children: (answer: T) => ComponentChildren;
}) {
  const { asked, name, children } = options;
  const { answer, isBusy, failure } = asked;
  return (
    <>
      {failure !== undefined && <FailedNotice name={name} asked={asked} />}
      {answer !== undefined && children(answer)}
      {answer === undefined && isBusy && (
        <div class="card" aria-busy="true">
          <Skeleton name={name} />
        </div>
      )}
    </>
  );
}

/** Says what could not be loaded and why, with a button that asks again. */
export function FailedNotice({ name, asked }: { readonly name: string; readonly asked: AskedState }) {
  const [isAsking, setAsking] = useState(false);
  const retry = async () => {
    setAsking(true);
    await asked.refresh();
    setAsking(false);
  };
  return (
    <div class="notice bad failed" role="alert">
      <span>
        <strong>{t("kit.notLoaded", { name })}</strong> {asked.failure}
      </span>
      <button type="button" class="small" disabled={isAsking} onClick={retry}>
        {t("kit.tryAgain")}
      </button>
    </div>
  );
}

/** Lines where an answer will stand. They appear after a moment: most answers come before it. */
export function Skeleton({ name, lines = 4 }: { readonly name: string; readonly lines?: number }) {
  return (
    <div class="skeleton">
      <span class="hidden" role="status">
        {t("kit.loading", { name })}
      </span>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} class="line" aria-hidden="true" />
      ))}
    </div>
  );
}
