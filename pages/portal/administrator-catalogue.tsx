// The catalogue and the configuration of the portal, as administrators see them.

import type { Catalogue } from "../../runtime/portal/generated/catalogue.ts";
import type { Configuration } from "../../runtime/portal/generated/configuration.ts";
import { Awaited, useAsked } from "../kit/asked.tsx";
import { confirmed, openDialog, useLinkedDialog } from "../kit/dialogs.tsx";
import { CheckField, ChoiceField, Form, LongField, TextField } from "../kit/forms.tsx";
import { Act, Badge, Empty, Heading } from "../kit/parts.tsx";
import { Refusal } from "../kit/requests.ts";
import { Table } from "../kit/table.tsx";
import { say } from "../kit/toasts.tsx";
import { CloseButton } from "./administrator-records.tsx";
import { askPortal, type Written } from "./interface.ts";

type Entry = NonNullable<Catalogue["apis"]>[number];

/** A document of which the organisation has one; `undefined` where it does not exist yet. */
export async function readDocument<T>(path: string): Promise<T | undefined> {
  try {
    return await askPortal<T>("GET", path);
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return undefined;
    throw error;
  }
}

/** Keeps a document of which the organisation has one; `found` is what was read of it. */
export async function saveDocument(path: string, found: object | undefined, document: object): Promise<void> {
  await askPortal(found === undefined ? "POST" : "PUT", path, document);
}

/** What developers can ask for. */
export function AdministratorCatalogue() {
  const catalogue = useAsked(async () => ({ found: await readDocument<Catalogue>("/catalogue") }));
  const entries = catalogue.answer?.found?.apis ?? [];
  const save = async (apis: readonly Entry[]) => {
    const { id: _, org_id: __, ...rest } = catalogue.answer?.found ?? {};
    await saveDocument("/catalogue", catalogue.answer?.found, { ...rest, apis });
    await catalogue.refresh();
  };
  const isKnown = catalogue.answer !== undefined;
  const add = useLinkedDialog("new", (_, signal) => open(entries.length, signal), isKnown);
  const edit = useLinkedDialog(
    "edit",
    (key, signal) => {
      const index = entries.findIndex((entry) => keyOf(entry) === key);
      if (index === -1) throw new Error("There is no such entry.");
      return open(index, signal);
    },
    isKnown,
  );
  const open = (index: number, signal: AbortSignal) =>
    openDialog(
      index < entries.length ? "Entry of the catalogue" : "New entry",
      (close) => (
        <EntryForm
          entry={entries[index] ?? { show: true }}
          save={async (entry) => {
            await save(entries.toSpliced(index, 1, entry));
            close();
            say("Saved.");
          }}
          close={() => close()}
        />
      ),
      { signal },
    );
  const remove = (index: number, name: string) =>
    confirmed(
      { title: `Take ${name} out of the catalogue?`, text: "Keys that were given stay.", yes: "Take it out" },
      () => save(entries.toSpliced(index, 1)),
    );
  return (
    <>
      <Heading
        title="Catalogue"
        tools={
          <Act
            text="New entry"
            look="main"
            icon="plus"
            // The catalogue is saved as a whole: what is not known yet would be lost.
            isDisabled={!isKnown}
            work={() => add("entry")}
          />
        }
      >
        What developers see and can ask for. Each entry names the policy that a key is given.
      </Heading>
      <Table
        id="entries"
        title="Entries"
        rows={catalogue.answer && entries.map((entry, index) => ({ entry, index }))}
        asked={catalogue}
        keyOf={({ index }) => String(index)}
        textOf={({ entry }) => `${entry.name} ${entry.policy_id} ${entry.short_description}`}
        columns={[
          { title: "Name", sort: ({ entry }) => entry.name ?? "", cell: ({ entry }) => entry.name },
          { title: "Version", cell: ({ entry }) => entry.version },
          { title: "Policy", cell: ({ entry }) => <code>{entry.policy_id}</code> },
          {
            title: "Shown",
            sort: ({ entry }) => String(entry.show),
            cell: ({ entry }) => (
              <Badge tone={entry.show ? "good" : "plain"}>{entry.show ? "shown" : "hidden"}</Badge>
            ),
          },
          { title: "Documentation", cell: ({ entry }) => (entry.documentation ? "yes" : "none") },
          {
            title: "Acts",
            isForActs: true,
            cell: ({ entry, index }) => (
              <div class="acts">
                <Act text="Edit" about={entry.name ?? ""} look="small" work={() => edit(keyOf(entry))} />
                <Act
                  text="Take out"
                  about={entry.name ?? ""}
                  look="small danger"
                  work={() => remove(index, entry.name ?? "this entry")}
                />
              </div>
            ),
          },
        ]}
        empty={
          <Empty title="The catalogue is empty.">
            Add an entry: its name, what it is, and the policy that access is given by.
          </Empty>
        }
      />
    </>
  );
}

/** What an entry is known by in addresses. */
function keyOf({ policy_id: policy = "", version = "" }: Entry): string {
  return `${policy} ${version}`.trim();
}

function EntryForm(options: {
  readonly entry: Entry;
  readonly save: (entry: Entry) => Promise<void>;
  readonly close: () => void;
}) {
  const { entry, save, close } = options;
  const send = async (values: Readonly<Record<string, string>>, all: FormData) => {
    const { document = "", events = "", show: _, ...texts } = values;
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
    <Form submit="Save" keeps send={send} beside={<CloseButton close={close} />}>
      <TextField label="Name" name="name" value={entry.name ?? ""} isRequired />
      <TextField label="Version" name="version" value={entry.version ?? ""} />
      <TextField label="Id of its policy" name="policy_id" value={entry.policy_id ?? ""} isRequired />
      <ChoiceField
        label="What is given"
        name="auth_type"
        value={entry.auth_type ?? "authToken"}
        choices={[
          ["authToken", "a key"],
          ["basic", "a user and a password"],
          ["oauth", "an OAuth client"],
        ]}
      />
      <TextField
        label="What it is, in a line"
        name="short_description"
        value={entry.short_description ?? ""}
      />
      <LongField
        label="What it is, at length"
        name="long_description"
        value={entry.long_description ?? ""}
        rows={4}
      />
      <TextField
        label="Events that apps can subscribe to"
        name="events"
        value={entry.webhooks?.enabled ? (entry.webhooks.events ?? []).join(", ") : ""}
        note="Types with commas between them, such as order.created."
      />
      <LongField
        label="OpenAPI or AsyncAPI document, in JSON or YAML"
        name="document"
        rows={4}
        note={entry.documentation ? "There is one; another text replaces it." : "Developers read it here."}
      />
      <CheckField label="Shown in the catalogue" name="show" isOn={entry.show === true} />
    </Form>
  );
}

/** Keeps a document and gives its id. */
async function keepDocument(text: string): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  const documentation = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  const { Message } = await askPortal<Written>("POST", "/documentation", { documentation });
  return Message;
}

/** How the portal works. */
export function ConfigurationView() {
  const asked = useAsked(async () => ({ found: await readDocument<Configuration>("/configuration") }));
  return (
    <>
      <Heading title="Configuration">
        Whether requests need an approval, and which e-mails are sent. Each field is in docs/portal.md.
      </Heading>
      <Awaited asked={asked} name="the configuration">
        {({ found }) => <ConfigurationForm found={found} refresh={asked.refresh} />}
      </Awaited>
    </>
  );
}

function ConfigurationForm({
  found,
  refresh,
}: {
  readonly found: Configuration | undefined;
  readonly refresh: () => Promise<void>;
}) {
  const { id: _, org_id: __, ...rest } = found ?? {};
  return (
    <div class="card">
      <Form
        submit="Save"
        keeps
        send={async ({ others = "" }, all) => {
          const body = {
            ...(JSON.parse(others) as object),
            require_key_approval: all.has("approval"),
            enable_multi_selection: all.has("extend"),
          };
          await saveDocument("/configuration", found, body);
          await refresh();
          say("Saved.");
        }}
      >
        <CheckField
          label="Requests wait for an approval"
          name="approval"
          isOn={rest.require_key_approval !== false}
        />
        <CheckField
          label="A request extends a key that the developer has"
          name="extend"
          isOn={rest.enable_multi_selection === true}
        />
        <LongField
          label="All of it as JSON"
          name="others"
          rows={14}
          value={JSON.stringify(rest, undefined, 2)}
          note="The two boxes above count where both say something. Texts of e-mails may name {{email}} and {{portal}}, those with a link {{link}}."
        />
      </Form>
    </div>
  );
}
