// Pages of text, as administrators write them.

import { useState } from "preact/hooks";
import type { Texts } from "../../runtime/portal/generated/texts.ts";
import { useAsked } from "../kit/asked.tsx";
import { confirmed, openDialog, useLinkedDialog } from "../kit/dialogs.tsx";
import { CheckField, Form, LongField, TextField } from "../kit/forms.tsx";
import { Markdown } from "../kit/markdown.tsx";
import { Act, Badge, Empty, Heading } from "../kit/parts.tsx";
import { Table } from "../kit/table.tsx";
import { say } from "../kit/toasts.tsx";
import { readDocument, saveDocument } from "./administrator-catalogue.tsx";
import { CloseButton } from "./administrator-records.tsx";

type TextPage = NonNullable<Texts["pages"]>[number];

/** The view. */
export function TextsView() {
  const asked = useAsked(async () => ({ found: await readDocument<Texts>("/texts") }));
  const pages = asked.answer?.found?.pages ?? [];
  const isKnown = asked.answer !== undefined;
  const save = async (changed: readonly TextPage[]) => {
    await saveDocument("/texts", asked.answer?.found, { pages: changed });
    await asked.refresh();
  };
  const open = (index: number, signal: AbortSignal) =>
    openDialog(
      index < pages.length ? "Page of text" : "New page",
      (close) => (
        <PageForm
          page={pages[index] ?? { slug: "", title: "", text: "", show: true }}
          save={async (page) => {
            await save(pages.toSpliced(index, 1, page));
            close();
            say("Saved.");
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
      if (index === -1) throw new Error("There is no such page.");
      return open(index, signal);
    },
    isKnown,
  );
  const remove = (page: TextPage) =>
    confirmed(
      { title: `Delete ${page.title}?`, text: "Addresses of it lead nowhere then.", yes: "Delete" },
      () => save(pages.filter((each) => each !== page)),
    );
  return (
    <>
      <Heading
        title="Pages"
        tools={<Act text="New page" look="main" icon="plus" isDisabled={!isKnown} work={() => add("page")} />}
      >
        Texts for developers: how to begin, terms, contacts. The navigation lists them in this order.
      </Heading>
      <Table
        id="texts"
        title="Pages"
        rows={asked.answer && pages}
        asked={asked}
        keyOf={({ slug }) => slug}
        textOf={({ title, text }) => `${title} ${text}`}
        columns={[
          { title: "Title", cell: ({ title }) => title },
          { title: "Address", cell: ({ slug }) => <code>#/text/{slug}</code> },
          {
            title: "State",
            cell: ({ show }) => <Badge tone={show ? "good" : "plain"}>{show ? "shown" : "draft"}</Badge>,
          },
          {
            title: "Acts",
            isForActs: true,
            cell: (page) => (
              <div class="acts">
                <Act text="Edit" about={page.title} look="small" work={() => edit(page.slug)} />
                <Act text="Delete" about={page.title} look="small danger" work={() => remove(page)} />
              </div>
            ),
          },
        ]}
        empty={
          <Empty title="There are no pages yet.">
            Write the first one: what developers do to get their first answer.
          </Empty>
        }
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
      submit="Save"
      keeps
      send={({ title = "", slug = "", text = "" }, all) => save({ title, slug, text, show: all.has("show") })}
      beside={<CloseButton close={close} />}
    >
      <TextField label="Title" name="title" value={page.title} isRequired />
      <TextField
        label="Address"
        name="slug"
        value={page.slug}
        note="Small letters and digits with hyphens between them, such as first-steps."
        isRequired
      />
      <div
        class="columns"
        onInput={({ target }) => target instanceof HTMLTextAreaElement && setText(target.value)}
      >
        <LongField label="Text, as Markdown" name="text" value={page.text} rows={14} />
        <section class="field" aria-label="Preview">
          <span class="label">Preview</span>
          <Markdown text={text} />
        </section>
      </div>
      <CheckField label="Shown to developers" name="show" isOn={page.show === true} />
    </Form>
  );
}
