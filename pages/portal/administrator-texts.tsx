// The view in which administrators edit text pages.

import { useState } from "preact/hooks";
import type { Texts } from "../../runtime/portal/generated/texts.ts";
import { openDialog, useLinkedDialog } from "../kit/dialogs.tsx";
import { useFetched } from "../kit/fetched.tsx";
import { CheckField, Form, LongField, TextField } from "../kit/forms.tsx";
import { Markdown } from "../kit/markdown.tsx";
import { Act, Badge, Empty, Heading } from "../kit/parts.tsx";
import { Table } from "../kit/table.tsx";
import { say } from "../kit/toasts.tsx";
import { changeEntry, readDocument } from "./administrator-document.tsx";
import { confirmDeletion } from "./deletion.ts";
import { t } from "./messages.ts";

type TextPage = NonNullable<Texts["pages"]>[number];

/** The view of text pages. */
export function TextsView() {
  const fetched = useFetched(async () => ({ found: await readDocument<Texts>("/texts") }));
  const pages = fetched.answer?.found?.pages ?? [];
  const isKnown = fetched.answer !== undefined;
  const change = async (former: TextPage | undefined, page?: TextPage) => {
    await changeEntry("/texts", "pages", former, page);
    await fetched.refresh();
  };
  const open = (index: number, signal: AbortSignal) =>
    openDialog(
      index < pages.length ? t("texts.one") : t("texts.new"),
      (close) => (
        <PageForm
          page={pages[index] ?? { slug: "", title: "", text: "", show: true }}
          save={async (page) => {
            await change(pages[index], page);
            say(t("word.saved"));
          }}
          close={() => close()}
        />
      ),
      { isWide: true, signal },
    );
  const add = useLinkedDialog("new", (_, signal) => open(pages.length, signal), isKnown);
  const edit = useLinkedDialog(
    "edit",
    (slug, signal) => {
      const index = pages.findIndex((page) => page.slug === slug);
      if (index === -1) throw new Error(t("texts.noSuch"));
      return open(index, signal);
    },
    isKnown,
  );
  const remove = (page: TextPage) =>
    confirmDeletion(page.title, t("texts.deleteText"), () => change(page), fetched.refresh);
  return (
    <>
      <Heading
        title={t("word.pages")}
        tools={
          <Act text={t("texts.new")} look="main" icon="plus" isDisabled={!isKnown} work={() => add("page")} />
        }
      >
        {t("texts.text")}
      </Heading>
      <Table
        id="texts"
        title={t("word.pages")}
        rows={fetched.answer && pages}
        fetched={fetched}
        keyOf={({ slug }) => slug}
        textOf={({ title, text }) => `${title} ${text}`}
        columns={[
          { title: t("word.title"), cell: ({ title }) => title },
          { title: t("word.pageAddress"), cell: ({ slug }) => <code>#/text/{slug}</code> },
          {
            title: t("word.state"),
            cell: ({ show }) => (
              <Badge tone={show ? "good" : "plain"}>{t(show ? "word.shown" : "word.draft")}</Badge>
            ),
          },
          {
            title: t("word.acts"),
            isForActs: true,
            cell: (page) => (
              <div class="acts">
                <Act text={t("word.edit")} about={page.title} look="small" work={() => edit(page.slug)} />
                <Act
                  text={t("word.delete")}
                  about={page.title}
                  look="small danger"
                  work={() => remove(page)}
                />
              </div>
            ),
          },
        ]}
        empty={<Empty title={t("texts.none")}>{t("texts.noneText")}</Empty>}
      />
    </>
  );
}

function PageForm(options: {
  readonly page: TextPage;
  readonly save: (page: TextPage) => Promise<void>;
  readonly close: () => void;
}) {
  const { page, save, close } = options;
  const [text, setText] = useState(page.text);
  return (
    <Form
      id="text-page"
      submit={t("word.save")}
      send={({ title = "", slug = "", text = "" }, all) => save({ title, slug, text, show: all.has("show") })}
      close={close}
    >
      <TextField label={t("word.title")} name="title" value={page.title} isRequired />
      <TextField
        label={t("word.pageAddress")}
        name="slug"
        value={page.slug}
        note={t("texts.slugNote")}
        isRequired
      />
      <div
        class="columns"
        onInput={({ target }) => target instanceof HTMLTextAreaElement && setText(target.value)}
      >
        <LongField label={t("texts.markdown")} name="text" value={page.text} rows={14} />
        <section class="field" aria-label={t("texts.preview")}>
          <span class="label">{t("texts.preview")}</span>
          <Markdown text={text} />
        </section>
      </div>
      <CheckField label={t("texts.show")} name="show" isOn={page.show === true} />
    </Form>
  );
}
