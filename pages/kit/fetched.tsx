// Requests data for views: shows that it is loading, and if a request fails, the reason and a button to try again.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useBusy } from "./busy.ts";
import { t } from "./messages.ts";
import { usePolling } from "./polling.ts";
import { messageOf } from "./toasts.tsx";

/** The state of a request. */
export interface FetchState {
  /** Why the latest request failed; `undefined` if it did not. */
  readonly failure: string | undefined;
  /** Whether the view is waiting for its first response. */
  readonly isBusy: boolean;
  /** Sends the request again. Never rejects: a failure is shown in place of the response. */
  readonly refresh: () => Promise<void>;
}

/** A request and the response that a view shows. */
export interface Fetched<T> extends FetchState {
  /** The latest response; absent until the first one. */
  readonly answer: T | undefined;
}

interface Known<T> {
  readonly answer?: T;
  readonly failure?: string;
  readonly isBusy: boolean;
}

/**
 * Calls `ask` when a view opens and whenever `keys` change; with `every`, also that many milliseconds after each
 * response. Only the response to the newest request is used; the previous one stays until it arrives.
 */
export function useFetched<T>(
  ask: () => Promise<T>,
  { keys = [], every }: { readonly keys?: readonly unknown[]; readonly every?: number } = {},
): Fetched<T> {
  const [known, setKnown] = useState<Known<T>>({ isBusy: true });
  const newest = useRef(0);
  const latest = useRef(ask);
  latest.current = ask;
  const refresh = async () => {
    newest.current += 1;
    const own = newest.current;
    const update = (change: (before: Known<T>) => Known<T>) => {
      if (own === newest.current) setKnown(change);
    };
    try {
      const answer = await latest.current();
      update(() => ({ answer, isBusy: false }));
    } catch (error) {
      update(({ failure: _, ...before }) => ({ ...before, failure: messageOf(error), isBusy: false }));
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

/** Shows a response, a placeholder while it is loading, or the reason why it failed. */
export function Awaited<T>(options: {
  readonly fetched: Fetched<T>;
  /** The name of the data, such as `Documentation`. */
  readonly name: string;
  readonly children: (answer: T) => ComponentChildren;
}) {
  const { fetched, name, children } = options;
  const { answer, isBusy, failure } = fetched;
  return (
    <>
      {failure !== undefined && <FailedNotice name={name} fetched={fetched} />}
      {answer !== undefined && children(answer)}
      {answer === undefined && isBusy && (
        <div class="card" aria-busy="true">
          <Skeleton name={name} />
        </div>
      )}
    </>
  );
}

/** Shows what could not be loaded and why, with a button to try again. */
export function FailedNotice({ name, fetched }: { readonly name: string; readonly fetched: FetchState }) {
  const { isBusy, run } = useBusy();
  return (
    <div class="notice bad failed" role="alert">
      <span>
        <strong>{t("kit.notLoaded", { name })}</strong> {fetched.failure}
      </span>
      <button type="button" class="small" aria-disabled={isBusy} onClick={() => run(fetched.refresh)}>
        {t("kit.tryAgain")}
      </button>
    </div>
  );
}

/** Placeholder lines for a response. They appear after a delay, before which most responses arrive. */
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
