// Users and the audit log.

import type { Change } from "../../management/generated/change.ts";
import type { User } from "../../management/generated/user.ts";
import { useAsked } from "../kit/asked.tsx";
import { confirmed, openDialog, useLinkedDialog } from "../kit/dialogs.tsx";
import { ChecksField, Form, TextField } from "../kit/forms.tsx";
import { type ListedPage, usePaged } from "../kit/paged.ts";
import { Act, Copied, Empty, Heading, Time } from "../kit/parts.tsx";
import { Table } from "../kit/table.tsx";
import { say } from "../kit/toasts.tsx";
import { askService, askServiceFor, type ServiceAnswer, type ServiceList } from "./service.ts";

/** Asks for a page of a list of the service. */
export const askPage =
  <T,>(path: string, size: number) =>
  (page: number) =>
    askServiceFor<ListedPage<T>>("GET", `${path}?p=${page}&page_size=${size}`);

/** Who has keys of this service. */
export function UsersView() {
  const users = useAsked(() => askServiceFor<ServiceList<User>>("GET", "/users?p=-1"));
  const path = ({ id = "" }: User) => `/users/${encodeURIComponent(id)}`;
  const add = useLinkedDialog("new", (_, signal) =>
    openDialog(
      "New user",
      (close) => (
        <Form
          submit="Make the user"
          keeps
          send={async ({ name }, all) => {
            const body = JSON.stringify({ name, permissions: all.getAll("permissions") });
            const { Meta } = await askServiceFor<ServiceAnswer<NewKey>>("POST", "/users", { body });
            close();
            await users.refresh();
            void showKey(Meta);
          }}
          beside={
            <button type="button" onClick={() => close()}>
              Cancel
            </button>
          }
        >
          <TextField label="Name" name="name" isRequired />
          <ChecksField
            label="Permissions"
            name="permissions"
            values={["read"]}
            choices={[
              ["read", "read: looks at everything"],
              ["write", "write: changes APIs and streams"],
              ["users", "users: gives keys"],
              ["gateway", "gateway: fetches deployments"],
            ]}
          />
        </Form>
      ),
      { signal },
    ),
  );
  const renew = (user: User) =>
    confirmed(
      {
        title: `Give ${user.name} another key?`,
        text: "The present one ends at once.",
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
        await askService("DELETE", path(user));
        await users.refresh();
        say("Deleted.");
      },
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
        asked={users}
        keyOf={({ id = "" }) => id}
        textOf={({ name, permissions }) => `${name} ${permissions.join(" ")}`}
        columns={[
          { title: "Name", sort: ({ name }) => name, cell: ({ name }) => name },
          { title: "Permissions", cell: ({ permissions }) => permissions.join(", ") },
          { title: "Since", cell: ({ created_at: at = "" }) => <Time at={at} only="date" /> },
          {
            title: "Acts",
            isForActs: true,
            cell: (user) => (
              <div class="acts">
                <Act text="New key" about={user.name} look="small" work={() => renew(user)} />
                <Act text="Delete" about={user.name} look="small danger" work={() => remove(user)} />
              </div>
            ),
          },
        ]}
        empty={
          <Empty title="There are no users yet.">
            Make one for each person and program, so that the audit log can name them.
          </Empty>
        }
      />
    </>
  );
}

interface NewKey {
  readonly access_key: string;
}

async function showKey({ access_key: text }: NewKey): Promise<void> {
  await openDialog("Key", (close) => (
    <div class="stack">
      <p>It is shown once: copy it now.</p>
      <Copied text={text} name="the key" />
      <div class="tools">
        <button type="button" class="main" onClick={() => close()}>
          I have it
        </button>
      </div>
    </div>
  ));
}

/** What was changed, and by which user. */
export function AuditView() {
  const changes = usePaged("audit", askPage<Change>("/audit", 50));
  return (
    <>
      <Heading title="Audit log">Every change in the organisation, the newest first.</Heading>
      <Table
        id="audit"
        title="Changes"
        rows={changes.answer?.Data}
        asked={changes}
        pages={changes.pages}
        keyOf={({ number }) => String(number)}
        textOf={({ actor, action, object, detail }) => `${actor} ${action} ${object} ${detail ?? ""}`}
        columns={[
          { title: "When", sort: ({ number }) => number, cell: ({ at }) => <Time at={at} /> },
          { title: "Who", sort: ({ actor }) => actor, cell: ({ actor }) => actor },
          { title: "What", sort: ({ action }) => action, cell: ({ action }) => action },
          { title: "Of", sort: ({ object }) => object, cell: ({ object }) => object },
          { title: "More", cell: ({ detail }) => detail },
        ]}
        empty={<Empty title="Nothing was changed yet." />}
      />
    </>
  );
}
