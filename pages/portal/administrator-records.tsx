// Developers and policies, as administrators see them.

import type { Developer } from "../../runtime/portal/generated/developer.ts";
import type { Policy } from "../../runtime/portal/generated/policy.ts";
import { useAsked } from "../kit/asked.tsx";
import { confirmed, openDialog, useLinkedDialog } from "../kit/dialogs.tsx";
import { Form, LongField, TextField } from "../kit/forms.tsx";
import { Act, Badge, Empty, Heading, Time } from "../kit/parts.tsx";
import { Table } from "../kit/table.tsx";
import { say } from "../kit/toasts.tsx";
import { askPortal, type Listed } from "./interface.ts";

/** Developers: made, made inactive, given another password, deleted. */
export function DevelopersView() {
  const developers = useAsked(() => askPortal<Listed<Developer>>("GET", "/developers?p=-1"));
  const path = ({ id = "" }: Developer) => `/developers/${encodeURIComponent(id)}`;
  const setInactive = async (developer: Developer, inactive: boolean) => {
    await askPortal("PUT", path(developer), { ...developer, inactive });
    await developers.refresh();
    say(
      inactive
        ? `${developer.email} is inactive: no credential works.`
        : `${developer.email} is active again.`,
    );
  };
  const turn = (developer: Developer) =>
    developer.inactive
      ? setInactive(developer, false)
      : confirmed(
          {
            title: `Make ${developer.email} inactive?`,
            text: "All credentials of this developer stop working, and open connections end, until you make it active again.",
            yes: "Make inactive",
          },
          () => setInactive(developer, true),
        );
  const remove = (developer: Developer) =>
    confirmed(
      {
        title: `Delete ${developer.email}?`,
        text: "All credentials, requests, apps and webhooks of this developer are deleted, too.",
        yes: "Delete",
      },
      async () => {
        await askPortal("DELETE", path(developer));
        await developers.refresh();
        say("Deleted.");
      },
    );
  const add = useLinkedDialog("new", (_, signal) =>
    openDialog(
      "New developer",
      (close) => (
        <Form
          submit="Add the developer"
          send={async ({ email, password }) => {
            await askPortal("POST", "/developers", { email, ...(password !== "" && { password }) });
            close();
            await developers.refresh();
          }}
          beside={<CloseButton close={() => close()} />}
        >
          <TextField label="E-mail" name="email" type="email" isRequired />
          <TextField label="Password" name="password" type="password" fill="new-password" least={6} />
        </Form>
      ),
      { signal },
    ),
  );
  const setPassword = (developer: Developer) =>
    openDialog(`Password of ${developer.email}`, (close) => (
      <Form
        submit="Set the password"
        send={async ({ password }) => {
          await askPortal("POST", `/developers/password/${encodeURIComponent(developer.id ?? "")}`, {
            password,
          });
          close();
          say("The password is set. Sessions of the developer have ended.");
        }}
        beside={<CloseButton close={() => close()} />}
      >
        <TextField
          label="New password"
          name="password"
          type="password"
          fill="new-password"
          least={6}
          isRequired
        />
      </Form>
    ));
  return (
    <>
      <Heading
        title="Developers"
        tools={<Act text="New developer" look="main" icon="plus" work={() => add("developer")} />}
      >
        Who can log in to this portal. An inactive developer can neither log in nor use any credential.
      </Heading>
      <Table
        id="developers"
        title="Developers"
        rows={developers.answer?.Data}
        asked={developers}
        keyOf={({ id = "" }) => id}
        textOf={({ email, fields = {} }) => `${email} ${Object.values(fields).join(" ")}`}
        columns={[
          { title: "E-mail", sort: ({ email }) => email, cell: ({ email }) => email },
          { title: "Answers at sign-up", cell: ({ fields = {} }) => <Answers fields={fields} /> },
          {
            title: "State",
            sort: ({ inactive }) => String(inactive),
            cell: ({ inactive }) =>
              inactive ? <Badge tone="warn">inactive</Badge> : <Badge tone="good">active</Badge>,
          },
          {
            title: "Keys",
            isNumber: true,
            sort: ({ keys = {} }) => Object.keys(keys).length,
            cell: ({ keys = {} }) => Object.keys(keys).length,
          },
          {
            title: "Since",
            sort: ({ date_created: at = "" }) => at,
            cell: ({ date_created: at = "" }) => <Time at={at} only="date" />,
          },
          {
            title: "Acts",
            isForActs: true,
            cell: (developer) => (
              <div class="acts">
                <Act
                  text="Set password"
                  about={developer.email}
                  look="small"
                  work={() => setPassword(developer)}
                />
                <Act
                  text={developer.inactive ? "Make active" : "Make inactive"}
                  about={developer.email}
                  look="small"
                  work={() => turn(developer)}
                />
                <Act
                  text="Delete"
                  about={developer.email}
                  look="small danger"
                  work={() => remove(developer)}
                />
              </div>
            ),
          },
        ]}
        empty={
          <Empty title="There are no developers yet.">Add the first one, who can then log in here.</Empty>
        }
      />
    </>
  );
}

/** Policies of the store; those of `gateway.yaml` are not among them. */
export function PoliciesView() {
  const policies = useAsked(() => askPortal<Listed<Policy>>("GET", "/policies?p=-1"));
  const remove = ({ id = "", name }: Policy) =>
    confirmed(
      {
        title: `Delete ${name}?`,
        text: "Keys that have no other policy can call nothing within a second.",
        yes: "Delete",
      },
      async () => {
        await askPortal("DELETE", `/policies/${encodeURIComponent(id)}`);
        await policies.refresh();
        say("Deleted.");
      },
    );
  const edit = useLinkedDialog(
    "edit",
    (id, signal) => {
      const policy = policies.answer?.Data.find((each) => each.id === id);
      if (policy === undefined) throw new Error("There is no such policy.");
      return open(policy, signal);
    },
    policies.answer !== undefined,
  );
  const add = useLinkedDialog("new", (_, signal) => open(undefined, signal));
  const open = (policy: Policy | undefined, signal: AbortSignal) => {
    const text = JSON.stringify(policy ?? { name: "", rate: 100, per: 60, access_rights: {} }, undefined, 2);
    return openDialog(
      policy === undefined ? "New policy" : `Policy ${policy.name}`,
      (close) => (
        <Form
          submit="Save"
          keeps
          send={async ({ policy: sent = "" }) => {
            const body: object = JSON.parse(sent);
            const id = encodeURIComponent(policy?.id ?? "");
            await (policy === undefined
              ? askPortal("POST", "/policies", body)
              : askPortal("PUT", `/policies/${id}`, body));
            close();
            await policies.refresh();
            say("Saved. Keys are held to it within a second.");
          }}
          beside={<CloseButton close={() => close()} />}
        >
          <LongField label="Policy as JSON" name="policy" value={text} rows={16} isRequired />
        </Form>
      ),
      { isWide: true, signal },
    );
  };
  return (
    <>
      <Heading
        title="Policies"
        tools={<Act text="New policy" look="main" icon="plus" work={() => add("policy")} />}
      >
        What keys may call and how often. Policies of gateway.yaml stand in that file and are not listed here.
      </Heading>
      <Table
        id="policies"
        title="Policies"
        rows={policies.answer?.Data}
        asked={policies}
        keyOf={({ id = "" }) => id}
        textOf={({ id = "", name }) => `${id} ${name}`}
        columns={[
          { title: "Name", sort: ({ name }) => name, cell: ({ name }) => name },
          { title: "Id", cell: ({ id }) => <code>{id}</code> },
          { title: "APIs", cell: ({ access_rights: rights = {} }) => Object.keys(rights).join(", ") },
          {
            title: "Rate",
            cell: ({ rate = 0, per = 0 }) => (rate > 0 ? `${rate} in ${per} s` : "no limit"),
          },
          {
            title: "Quota",
            isNumber: true,
            cell: ({ quota_max: most = -1 }) => (most < 0 ? "none" : most.toLocaleString()),
          },
          {
            title: "Acts",
            isForActs: true,
            cell: (policy) => (
              <div class="acts">
                <Act text="Edit" about={policy.name} look="small" work={() => edit(policy.id ?? "")} />
                <Act text="Delete" about={policy.name} look="small danger" work={() => remove(policy)} />
              </div>
            ),
          },
        ]}
        empty={<Empty title="The store has no policies.">Make one, and name it in the catalogue.</Empty>}
      />
    </>
  );
}

/** The other button of a form in a dialog. */
export function CloseButton({ close }: { readonly close: () => void }) {
  return (
    <button type="button" onClick={close}>
      Cancel
    </button>
  );
}

/** What a developer answered at the sign-up. */
function Answers({ fields }: { readonly fields: NonNullable<Developer["fields"]> }) {
  const answers = Object.entries(fields);
  if (answers.length === 0) return "none";
  return (
    <div class="stack">
      {answers.map(([name, answer]) => (
        <span key={name}>
          {name}: {answer}
        </span>
      ))}
    </div>
  );
}
