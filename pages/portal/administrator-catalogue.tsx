// The administrators' view of the portal's catalogue.

import type { Catalogue } from "../../runtime/portal/generated/catalogue.ts";
import { confirmed, openDialog, useLinkedDialog } from "../kit/dialogs.tsx";
import { useFetched } from "../kit/fetched.tsx";
import { CheckField, ChoiceField, FieldError, Form, LongField, TextField } from "../kit/forms.tsx";
import { Act, Badge, Empty, Heading } from "../kit/parts.tsx";
import { Table } from "../kit/table.tsx";
import { say } from "../kit/toasts.tsx";
import { changeEntry, readDocument } from "./administrator-document.tsx";
import { readPolicies } from "./administrator-records.tsx";
import { askPortal, type Written } from "./interface.ts";
import { t } from "./messages.ts";

type Entry = NonNullable<Catalogue["apis"]>[number];

/** The view of the catalogue. */
export function AdministratorCatalogue() {
  const catalogue = useFetched(async () => ({ found: await readDocument<Catalogue>("/catalogue") }));
  const entries = catalogue.answer?.found?.apis ?? [];
  const change = async (former: Entry | undefined, entry?: Entry) => {
    await changeEntry("/catalogue", "apis", former, entry);
    await catalogue.refresh();
  };
  const policies = useFetched(readPolicies);
  const isKnown = catalogue.answer !== undefined && !policies.isBusy;
  const add = useLinkedDialog("new", (_, signal) => open(entries.length, signal), isKnown);
  const edit = useLinkedDialog(
    "edit",
    (key, signal) => {
      const index = entries.findIndex((entry) => keyOf(entry) === key);
      if (index === -1) throw new Error(t("entries.noSuch"));
      return open(index, signal);
    },
    isKnown,
  );
  const open = (index: number, signal: AbortSignal) =>
    openDialog(
      index < entries.length ? t("entries.one") : t("entries.new"),
      (close) => (
        <EntryForm
          entry={entries[index] ?? { show: true }}
          policies={policies.answer?.map(({ id = "", name }) => [id, name])}
          save={async (entry) => {
            await change(entries[index], entry);
            say(t("word.saved"));
          }}
          close={() => close()}
        />
      ),
      { signal },
    );
  const remove = (entry: Entry, name: string) =>
    confirmed(
      { title: t("entries.outTitle", { name }), text: t("entries.outText"), yes: t("entries.takeItOut") },
      () => change(entry),
      catalogue.refresh,
    );
  return (
    <>
      <Heading
        title={t("word.catalogue")}
        tools={
          <Act
            text={t("entries.new")}
            look="main"
            icon="plus"
            isDisabled={!isKnown}
            work={() => add("entry")}
          />
        }
      >
        {t("entries.text")}
      </Heading>
      <Table
        id="entries"
        title={t("entries.title")}
        rows={catalogue.answer && entries.map((entry, index) => ({ entry, index }))}
        fetched={catalogue}
        keyOf={({ index }) => String(index)}
        textOf={({ entry }) => `${entry.name} ${entry.policy_id} ${entry.short_description}`}
        columns={[
          { title: t("word.name"), sort: ({ entry }) => entry.name ?? "", cell: ({ entry }) => entry.name },
          { title: t("word.version"), cell: ({ entry }) => entry.version },
          {
            title: t("word.policy"),
            cell: ({ entry: { policy_id: policy = "" } }) => (
              <>
                <code>{policy}</code>
                {policy !== "" && policies.answer?.every(({ id }) => id !== policy) && (
                  <div class="note">{t("entries.noPolicy")}</div>
                )}
              </>
            ),
          },
          {
            title: t("entries.shown"),
            sort: ({ entry }) => String(entry.show),
            cell: ({ entry }) => (
              <Badge tone={entry.show ? "good" : "plain"}>
                {t(entry.show ? "word.shown" : "word.hidden")}
              </Badge>
            ),
          },
          {
            title: t("word.documentation"),
            cell: ({ entry }) => t(entry.documentation ? "word.thereIs" : "word.none"),
          },
          {
            title: t("word.acts"),
            isForActs: true,
            cell: ({ entry }) => (
              <div class="acts">
                <Act
                  text={t("word.edit")}
                  about={entry.name ?? ""}
                  look="small"
                  work={() => edit(keyOf(entry))}
                />
                <Act
                  text={t("entries.takeOut")}
                  about={entry.name ?? ""}
                  look="small danger"
                  work={() => remove(entry, entry.name ?? t("entries.this"))}
                />
              </div>
            ),
          },
        ]}
        empty={<Empty title={t("catalogue.empty")}>{t("entries.emptyText")}</Empty>}
      />
    </>
  );
}

/** Returns the key of an entry in addresses. */
function keyOf({ policy_id: policy = "", version = "" }: Entry): string {
  return `${policy} ${version}`.trim();
}

function EntryForm(options: {
  readonly entry: Entry;
  /** Ids and names; absent if they could not be loaded. */
  readonly policies: readonly (readonly [id: string, name: string])[] | undefined;
  readonly save: (entry: Entry) => Promise<void>;
  readonly close: () => void;
}) {
  const { entry, policies, save, close } = options;
  const send = async (values: Readonly<Record<string, string>>, all: FormData) => {
    const { document = "", events = "", show: _, ...texts } = values;
    if (policies?.every(([id]) => id !== texts.policy_id))
      throw new FieldError("policy_id", t("entries.noPolicy"));
    const documentation = document.trim() === "" ? entry.documentation : await keepDocument(document);
    const types = events.split(/[\s,]+/).filter(Boolean);
    await save({
      ...entry,
      ...texts,
      show: all.has("show"),
      ...(documentation !== undefined && { documentation }),
      webhooks: { enabled: types.length > 0, events: types },
    });
  };
  return (
    <Form submit={t("word.save")} send={send} close={close}>
      <TextField label={t("word.name")} name="name" value={entry.name ?? ""} isRequired />
      <TextField label={t("word.version")} name="version" value={entry.version ?? ""} />
      <TextField
        label={t("entries.policyId")}
        name="policy_id"
        value={entry.policy_id ?? ""}
        note={t("entries.policyNote")}
        {...(policies !== undefined && { offered: policies })}
        isRequired
      />
      <ChoiceField
        label={t("entries.given")}
        name="auth_type"
        value={entry.auth_type ?? "authToken"}
        choices={[
          ["authToken", t("entries.key")],
          ["basic", t("entries.user")],
          ["oauth", t("entries.client")],
          ["jwt", t("entries.jwt")],
          ["hmac", t("entries.hmac")],
          ["mutualTLS", t("entries.certificate")],
        ]}
      />
      <TextField label={t("entries.short")} name="short_description" value={entry.short_description ?? ""} />
      <LongField
        label={t("entries.long")}
        name="long_description"
        value={entry.long_description ?? ""}
        rows={4}
      />
      <TextField
        label={t("entries.events")}
        name="events"
        value={entry.webhooks?.enabled ? (entry.webhooks.events ?? []).join(", ") : ""}
        note={t("entries.eventsNote")}
      />
      <LongField
        label={t("entries.document")}
        name="document"
        rows={4}
        note={entry.documentation ? t("entries.documentThere") : t("entries.documentNote")}
      />
      <CheckField label={t("entries.show")} name="show" isOn={entry.show === true} />
    </Form>
  );
}

/** Saves a document and returns its id. */
async function keepDocument(text: string): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  const documentation = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  const { Message } = await askPortal<Written>("POST", "/documentation", { documentation });
  return Message;
}
