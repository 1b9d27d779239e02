// Small components of pages: badges, facts, times, bars, copy buttons.

import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useBusy } from "./busy.ts";
import { Icon, type IconName } from "./icons.tsx";
import { locale, t } from "./messages.ts";
import { attempt } from "./toasts.tsx";

/** The severity of a state. */
export type Tone = "good" | "warn" | "bad" | "plain";

/** A state as a coloured word. */
export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

/** A number with its name. */
export function Tile(options: {
  readonly name: string;
  readonly value: ComponentChildren;
  readonly more?: ComponentChildren;
}) {
  const { name, value, more } = options;
  return (
    <div class="card tile">
      <span class="name">{name}</span>
      <span class="value">{value}</span>
      {more !== undefined && <span class="more">{more}</span>}
    </div>
  );
}

/** A list of names and values. Entries without a value are left out. */
export function Facts({
  entries,
}: {
  readonly entries: readonly (readonly [name: string, value: ComponentChildren])[];
}) {
  const known = entries.filter(([, value]) => value !== undefined && value !== null && value !== "");
  return (
    <dl class="facts">
      {known.flatMap(([name, value]) => [<dt key={name}>{name}</dt>, <dd key={`${name}=`}>{value}</dd>])}
    </dl>
  );
}

/** A placeholder for an empty view, with the next step to take. */
export function Empty(options: {
  readonly title: string;
  readonly children?: ComponentChildren;
  readonly next?: ComponentChildren;
}) {
  const { title, children, next } = options;
  return (
    <div class="empty">
      <strong>{title}</strong>
      {children !== undefined && <p>{children}</p>}
      {next}
    </div>
  );
}

/** The view for an unknown address. */
export function Lost() {
  return (
    <>
      <Heading title={t("kit.notFound")} />
      <div class="card">
        <Empty title={t("kit.noView")} next={<a href="#/">{t("kit.firstView")}</a>}>
          {t("kit.lost")}
        </Empty>
      </div>
    </>
  );
}

const pageName = signal(document.title);

/** Names the page, in its title and after those of its views. */
export function namePage(name: string): void {
  document.title = name;
  pageName.value = name;
}

/** The header of a view: title, purpose, and actions. Its title tells tabs, bookmarks and the history of views apart. */
export function Heading(options: {
  readonly title: ComponentChildren;
  readonly crumbs?: ComponentChildren;
  readonly beside?: ComponentChildren;
  readonly tools?: ComponentChildren;
  readonly children?: ComponentChildren;
}) {
  const { title, crumbs, beside, tools, children } = options;
  const shown = useRef<HTMLHeadingElement>(null);
  const name = pageName.value;
  useEffect(() => {
    document.title = `${shown.current?.textContent} – ${name}`;
    return () => {
      document.title = name;
    };
  }, [title, name]);
  return (
    <div class="heading">
      {crumbs !== undefined && (
        <nav class="crumbs" aria-label={t("kit.whereYouAre")}>
          {crumbs}
        </nav>
      )}
      <h1 id="title" ref={shown}>
        {title}
      </h1>
      {beside}
      {tools !== undefined && <div class="tools">{tools}</div>}
      {children !== undefined && <p>{children}</p>}
    </div>
  );
}

/**
 * A button that runs `work` and shows an error if it fails. `about` distinguishes it from other buttons with the same
 * text.
 */
export function Act(options: {
  readonly text: string;
  readonly work: () => unknown;
  readonly about?: string;
  readonly look?: string;
  readonly icon?: IconName;
  readonly isDisabled?: boolean;
}) {
  const { text, work, about = "", look = "", icon, isDisabled = false } = options;
  const { isBusy, run } = useBusy();
  return (
    <button
      type="button"
      class={look}
      disabled={isDisabled}
      aria-disabled={isBusy}
      aria-label={about === "" ? undefined : `${text}: ${about}`}
      onClick={() => run(() => attempt(work))}
    >
      {icon !== undefined && <Icon name={icon} />}
      {text}
    </button>
  );
}

/** A text with a copy button. */
export function Copied({ text, name }: { readonly text: string; readonly name: string }) {
  return (
    <div class="code secret">
      <span>{text}</span>
      <CopyButton text={text} name={name} />
    </div>
  );
}

/** A multi-line text that can be scrolled with the keyboard. */
export function Code({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: WCAG 2.1.1
    <pre class="code" role="region" aria-label={name} tabIndex={0}>
      {text}
    </pre>
  );
}

/** Milliseconds for which the button shows that the text was copied. */
const shownFor = 2_000;

/** A button that copies a text. */
export function CopyButton({ text, name }: { readonly text: string; readonly name: string }) {
  const [isDone, setDone] = useState(false);
  useEffect(() => {
    if (!isDone) return undefined;
    const timer = setTimeout(() => setDone(false), shownFor);
    return () => clearTimeout(timer);
  }, [isDone]);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setDone(true);
  };
  // Browsers allow pages to copy only over TLS or on localhost.
  if (!isSecureContext) return null;
  return (
    <button
      type="button"
      class="small"
      aria-label={t("kit.copyName", { name })}
      onClick={() => attempt(copy)}
    >
      <Icon name={isDone ? "done" : "copy"} />
      <span aria-hidden="true">{t(isDone ? "kit.copied" : "kit.copy")}</span>
    </button>
  );
}

/** A time in the user's time zone, with UTC as a tooltip; with seconds if it is compared with logs. */
export function Time({
  at,
  only,
  isExact = false,
}: {
  readonly at: string | number;
  readonly only?: "date" | "time";
  readonly isExact?: boolean;
}) {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return <>{at}</>;
  const iso = date.toISOString();
  const style = only === "date" ? { dateStyle: "medium" as const } : { timeStyle: "medium" as const };
  const text = date.toLocaleString(
    locale(),
    only === undefined ? { dateStyle: "medium", timeStyle: isExact ? "medium" : "short" } : style,
  );
  return (
    <time dateTime={iso} title={iso}>
      {text}
    </time>
  );
}

/** The used share of a limit, as a bar and in words. */
export function Meter(options: {
  readonly name: string;
  readonly used: number;
  readonly limit: number;
  readonly more?: ComponentChildren;
}) {
  const { name, used, limit, more } = options;
  const part = limit <= 0 ? 0 : Math.min(1, used / limit);
  const tone = part >= 1 ? "bad" : part >= 0.8 ? "warn" : "";
  return (
    <div class={`meter ${tone}`}>
      <span class="words">
        <span>{name}</span>
        <span>{t("kit.used", { used, limit })}</span>
      </span>
      <svg
        viewBox="0 0 100 4"
        preserveAspectRatio="none"
        role="img"
        aria-label={t("kit.usedPart", { name, percent: Math.round(part * 100) })}
      >
        <rect width={part * 100} height="4" />
      </svg>
      {more !== undefined && <span class="note">{more}</span>}
    </div>
  );
}
