// Text pages for developers.

import { effect, signal } from "@preact/signals";
import type { OwnText } from "../../runtime/portal/page/shown-records.ts";
import { Skeleton } from "../kit/fetched.tsx";
import { Markdown } from "../kit/markdown.tsx";
import { Heading, Lost } from "../kit/parts.tsx";
import type { NavigationGroup } from "../kit/shell.tsx";
import { orSay } from "../kit/toasts.tsx";
import { askOwn, type Listed, person } from "./interface.ts";
import { t } from "./messages.ts";

/** The pages; absent until loaded. */
const texts = signal<readonly OwnText[] | undefined>(undefined);

effect(() => {
  texts.value = undefined;
  if (person.value?.kind !== "developer") return;
  void orSay(async () => {
    texts.value = (await askOwn<Listed<OwnText>>("GET", "/texts")).Data;
  });
});

/** Returns the navigation of the pages; empty if there are none. */
export function textGroups(): readonly NavigationGroup[] {
  const items = (texts.value ?? []).map(({ slug, title }) => ({
    text: title,
    view: `text/${slug}`,
    icon: "page" as const,
  }));
  return items.length === 0 ? [] : [{ title: t("nav.read"), items }];
}

/** One page. */
export function TextView({ slug }: { readonly slug: string }) {
  if (texts.value === undefined) return <Skeleton name="the page" />;
  const page = texts.value.find((each) => each.slug === slug);
  if (page === undefined) return <Lost />;
  return (
    <>
      <Heading title={page.title} />
      <article class="card">
        <Markdown text={page.text} />
      </article>
    </>
  );
}
