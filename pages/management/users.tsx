// Users: their keys and their permissions in the organisation and for single APIs.

import { useState } from "preact/hooks";
import type { User } from "../../management/generated/user.ts";
import { confirmed, openDialog, useLinkedDialog } from "../kit/dialogs.tsx";
import { useDraft } from "../kit/drafts.tsx";
import { useFetched } from "../kit/fetched.tsx";
import { ChecksField, ChoiceField, Form, TextField } from "../kit/forms.tsx";
import { Act, Copied, Empty, Heading, Time } from "../kit/parts.tsx";
import type { Question } from "../kit/requests.ts";
import { Table } from "../kit/table.tsx";
import { say } from "../kit/toasts.tsx";
import { matching } from "./draft.ts";
import { askService, askServiceFor, type ServiceAnswer, type ServiceList } from "./service.ts";

type Grant = NonNullable<User["apis"]>[number];

/** Changes or deletes a user. Rejects if somebody has changed it since the list was read. */
async function changeListed(
  method: string,
  path: string,
  user: User,
  question: Question = {},
): Promise<void> {
  const { text, etag } = await askService("GET", path);
  if (JSON.stringify(JSON.parse(text)) !== JSON.stringify(user)) {
    throw new Error("Somebody has changed this user since the list was read. Reload the list and try again.");
  }
  await askService(method, path, { ...question, headers: matching(etag) });
}

/** Lists the users of this service. */
export function UsersView() {
  const users = useFetched(() => askServiceFor<ServiceList<User>>("GET", "/users?p=-1"));
  const path = ({ id = "" }: User) => `/users/${encodeURIComponent(id)}`;
  const add = useLinkedDialog("new", (_, signal) =>
    openDialog(
      "New user",
      (close) => (
        <UserForm
          submit="Make the user"
          close={close}
          send={async (user) => {
            const body = JSON.stringify(user);
            const { Meta } = await askServiceFor<ServiceAnswer<NewKey>>("POST", "/users", { body });
            await users.refresh();
            void showKey(Meta);
          }}
        />
      ),
      { signal },
    ),
  );
  const change = (user: User) =>
    openDialog(`Change ${user.name}`, (close) => (
      <UserForm
        submit="Save"
        user={user}
        close={close}
        send={async (changed) => {
          await changeListed("PUT", path(user), user, { body: JSON.stringify(changed) });
          await users.refresh();
          say("Saved.");
        }}
      />
    ));
  const renew = (user: User) =>
    confirmed(
      {
        title: `Give ${user.name} a new key?`,
        text: "The current key ends at once.",
        yes: "Give another key",
      },
      async () => {
        const { Meta } = await askServiceFor<ServiceAnswer<NewKey>>("POST", `${path(user)}/key`);
        void showKey(Meta);
      },
    );
  const remove = (user: User) =>
    confirmed(
      { title: `Delete ${user.name}?`, text: "The key ends at once.", yes: "Delete the user" },
      async () => {
        await changeListed("DELETE", path(user), user);
        say("Deleted.");
      },
      users.refresh,
    );
  return (
    <>
      <Heading title="Users" tools={<Act text="New user" look="main" icon="plus" work={() => add("user")} />}>
        People and programs that have a key of this service. Keys of the environment are not listed.
      </Heading>
      <Table
        id="users"
        title="Users"
        rows={users.answer?.Data}
        fetched={users}
        keyOf={({ id = "" }) => id}
        textOf={(user) => `${user.name} ${user.permissions.join(" ")} ${grantTexts(user).join(" ")}`}
        columns={[
          { title: "Name", sort: ({ name }) => name, cell: ({ name }) => name },
          { title: "All APIs", cell: ({ permissions }) => permissions.join(", ") },
          {
            title: "Single APIs",
            cell: (user) => grantTexts(user).map((text) => <div key={text}>{text}</div>),
          },
          { title: "Since", cell: ({ created_at: at = "" }) => <Time at={at} only="date" /> },
          {
            title: "Actions",
            isForActs: true,
            cell: (user) => (
              <div class="acts">
                <Act text="Change" about={user.name} look="small" work={() => change(user)} />
                <Act text="New key" about={user.name} look="small" work={() => renew(user)} />
                <Act text="Delete" about={user.name} look="small danger" work={() => remove(user)} />
              </div>
            ),
          },
        ]}
        empty={
          <Empty title="No users yet">
            Make one for each person and program, so that the audit log can name them.
          </Empty>
        }
      />
    </>
  );
}

function grantTexts({ apis = [] }: User): readonly string[] {
  return apis.map(
    ({ api, by = "id", permissions }) => `${by === "id" ? api : `“${api}”`}: ${permissions.join(", ")}`,
  );
}

/** A row of the form. Its key stays the same while other rows are added and removed. */
interface GrantRow extends Grant {
  readonly key: number;
}

/** A form for the name and the permissions of a user. */
function UserForm({
  user = { name: "", permissions: ["read"] },
  submit,
  send,
  close,
}: {
  readonly user?: User;
  readonly submit: string;
  readonly send: (user: User) => Promise<void>;
  readonly close: () => void;
}) {
  const kept = useDraft("user", user);
  const [shown, setShown] = useState(kept.value);
  const draft = {
    open: () => kept.isRestored(),
    keep: (form: HTMLFormElement) => kept.keep(userIn(new FormData(form))),
    forget: kept.forget,
    reset: () => setShown(user),
  };
  return (
    <Form submit={submit} keeps draft={draft} send={(_, all) => send(userIn(all))} close={close}>
      <TextField label="Name" name="name" value={shown.name} isRequired />
      <ChecksField
        label="For all APIs"
        name="permissions"
        values={shown.permissions}
        choices={[
          ["read", "read: looks at everything"],
          ["write", "write: changes APIs and streams"],
          ["users", "users: gives keys"],
          ["gateway", "gateway: fetches deployments"],
        ]}
      />
      <Grants grants={shown.apis ?? []} />
    </Form>
  );
}

/** Returns the user in the form. */
function userIn(all: FormData): User {
  const keys = [...all.keys()].flatMap((name) => (name.startsWith("api-") ? [name.slice(4)] : []));
  return {
    name: String(all.get("name") ?? ""),
    permissions: all.getAll("permissions") as unknown as User["permissions"],
    apis: keys.map((key) => ({
      api: String(all.get(`api-${key}`)),
      by: all.get(`by-${key}`) === "name" ? "name" : "id",
      permissions: all.getAll(`may-${key}`) as unknown as Grant["permissions"],
    })),
  };
}

/** The rules for single APIs. */
function Grants({ grants }: { readonly grants: readonly Grant[] }) {
  const given = grants.map((grant, key): GrantRow => ({ ...grant, key }));
  const [rows, setRows] = useState<readonly GrantRow[]>(given);
  const addRow = () => {
    const key = Math.max(-1, ...rows.map((row) => row.key)) + 1;
    setRows([...rows, { key, api: "", permissions: ["read"] }]);
  };
  return (
    <>
      {rows.map(({ key, api, by = "id", permissions }, index) => (
        <fieldset key={key} class="part">
          <legend>Rule {index + 1} for single APIs</legend>
          <TextField
            label="APIs"
            name={`api-${key}`}
            value={api}
            note="The ID or the name; * matches any text."
            hint="orders-*"
            isRequired
          />
          <ChoiceField
            label="Chosen by"
            name={`by-${key}`}
            value={by}
            choices={[
              ["id", "id"],
              ["name", "name"],
            ]}
          />
          <ChecksField
            label="Permissions"
            name={`may-${key}`}
            values={permissions}
            choices={[
              ["read", "read: looks"],
              ["write", "write: makes and changes"],
            ]}
          />
          <div class="tools">
            <button
              type="button"
              class="small"
              onClick={() => setRows(rows.filter((row) => row.key !== key))}
            >
              Remove rule {index + 1}
            </button>
          </div>
        </fieldset>
      ))}
      <div class="tools">
        <button type="button" class="small" onClick={addRow}>
          Add a rule for single APIs
        </button>
      </div>
    </>
  );
}

interface NewKey {
  readonly access_key: string;
}

async function showKey({ access_key: text }: NewKey): Promise<void> {
  await openDialog(
    "Key",
    (close) => (
      <div class="stack">
        <p>It is shown once: copy it now.</p>
        <Copied text={text} name="the key" />
        <div class="tools">
          <button type="button" class="main" onClick={() => close()}>
            I have it
          </button>
        </div>
      </div>
    ),
    { stays: true },
  );
}
