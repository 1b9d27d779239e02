// The frame of a page: navigation and content.

import { type ComponentChildren, Fragment, render } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { closeDialogs, Dialogs } from "./dialogs.tsx";
import { Icon, type IconName, Mark } from "./icons.tsx";
import type { Language } from "./message-types.ts";
import { languageTag, speak, t } from "./messages.ts";
import { openPalette, PaletteKeys } from "./palette.tsx";
import { linkTo, route } from "./router.ts";
import { sayNoFailure, Toasts } from "./toasts.tsx";

/** A view in the navigation. */
export interface NavigationItem {
  readonly text: string;
  /** The first segment of its address, or all segments joined by slashes; empty for the initial view. */
  readonly view: string;
  readonly icon: IconName;
  /** First segments of other addresses that belong to this item. */
  readonly also?: readonly string[];
  /** The number of pending entries. */
  readonly count?: number;
}

/** A group of items with a title. */
export interface NavigationGroup {
  readonly title: string;
  readonly items: readonly NavigationItem[];
}

/** The name of the page, at the top of its navigation. */
export function Brand({
  name,
  product,
  mark,
}: {
  readonly name: string;
  readonly product: string;
  readonly mark?: ComponentChildren;
}) {
  return (
    <a class="brand" href="#/">
      {mark ?? <Mark />}
      <span>
        {name}
        <small>{product}</small>
      </span>
    </a>
  );
}

/** A page with navigation. */
export function Shell(options: {
  readonly brand: ComponentChildren;
  readonly groups: readonly NavigationGroup[];
  /** Content below the navigation: the user, and how to log out. */
  readonly foot?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  const { brand, groups, foot, children } = options;
  const [first = ""] = route.value;
  const address = route.value.join("/");
  const views = useRef<HTMLElement>(null);
  // Before effects of the view, which may say why it cannot be shown.
  useLayoutEffect(sayNoFailure, [address]);
  useLayoutEffect(() => closeDialogs, [address]);
  useEffect(() => showCurrent(views.current), [address]);
  useEffect(() => {
    const observer = new ResizeObserver(() => showCurrent(views.current));
    if (views.current !== null) observer.observe(views.current);
    return () => observer.disconnect();
  }, []);
  const isShown = ({ view, also = [] }: NavigationItem) =>
    view === first || (view !== "" && view === address) || also.includes(first);
  return (
    <div class="shell">
      <button type="button" class="skip" onClick={skip}>
        {t("kit.skip")}
      </button>
      <header class="side">
        {brand}
        <button type="button" class="find" onClick={openPalette}>
          <Icon name="find" />
          <span class="words">{t("kit.find")}</span>
          <kbd>Ctrl K</kbd>
        </button>
        <nav ref={views} aria-label={t("kit.views")}>
          {groups.map(({ title, items }) => (
            <section key={title}>
              {title !== "" && <h2>{title}</h2>}
              <ul>
                {items.map((item) => (
                  <li key={item.view}>
                    <a
                      href={linkTo(...item.view.split("/"))}
                      aria-current={isShown(item) ? "page" : undefined}
                    >
                      <Icon name={item.icon} />
                      {item.text}
                      {item.count !== undefined && item.count > 0 && <span class="count">{item.count}</span>}
                    </a>
                  </li>
                ))}
              </ul>
            </section>
          ))}
        </nav>
        <div class="foot">{foot}</div>
      </header>
      <div class="content">
        <main id="main" tabIndex={-1}>
          {children}
        </main>
      </div>
    </div>
  );
}

/** Scrolls the current view into sight: in narrow windows, the navigation is one scrollable line. */
function showCurrent(views: HTMLElement | null): void {
  const current = [...(views?.querySelectorAll("[aria-current]") ?? [])].at(-1);
  if (views === null || current === undefined) return;
  const [frame, item] = [views.getBoundingClientRect(), current.getBoundingClientRect()];
  views.scrollLeft += item.left - frame.left - (frame.width - item.width) / 2;
}

/** Focuses the content. This is not a link because the fragment holds the route. */
function skip(): void {
  document.getElementById("main")?.focus();
}

/** Renders a page into the document in a language, with dialogs, messages and the command palette. */
export function start(page: ComponentChildren, language: Language): void {
  const host = document.getElementById("app");
  if (host === null) throw new TypeError("there is no #app");
  speak(language);
  render(<Whole page={page} />, host);
}

/** Rebuilds the page if the language changes, including texts that were translated when they were loaded. */
function Whole({ page }: { readonly page: ComponentChildren }) {
  return (
    <Fragment key={languageTag()}>
      {page}
      <PaletteKeys />
      <Dialogs />
      <Toasts />
    </Fragment>
  );
}
