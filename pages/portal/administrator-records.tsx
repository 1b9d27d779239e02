// The administrators' views of developers and policies.

import type { Developer } from "../../runtime/portal/generated/developer.ts";
import type { Policy } from "../../runtime/portal/generated/policy.ts";
import type { ConfiguredPolicy, GrantableApi } from "../../runtime/portal/policies/named-in-policies.ts";
import { openDialog, useLinkedDialog } from "../kit/dialogs.tsx";
import { useFetched } from "../kit/fetched.tsx";
import { Form, TextField } from "../kit/forms.tsx";
import { numberText } from "../kit/messages.ts";
import { Act, Empty, Heading, Time } from "../kit/parts.tsx";
import { Table } from "../kit/table.tsx";
import { say } from "../kit/toasts.tsx";
import { readDocument, saveDocument } from "./administrator-document.tsx";
import { OwnersView, useOwners } from "./administrator-owners.tsx";
import { confirmDeletion, deleteShown } from "./deletion.ts";
import { askPortal, type Listed } from "./interface.ts";
import { spoken } from "./key-usage.tsx";
import { t } from "./messages.ts";
import { PolicyForm } from "./policy-form.tsx";

/** The view of developers, in which they are created, deactivated and deleted, and get new passwords. */
export function DevelopersView() {
  const developers = useOwners<Developer>("/developers");
  const { refresh, answer } = developers.fetched;
  const hasAnswers = answer?.Data.some(({ fields = {} }) => Object.keys(fields).length > 0) === true;
  const add = useLinkedDialog("new", (_, signal) =>
    openDialog(
      t("developers.new"),
      (close) => (
        <Form
          submit={t("developers.add")}
          send={async ({ email, password }) => {
            await askPortal("POST", "/developers", { email, ...(password !== "" && { password }) });
            await refresh();
          }}
          close={close}
        >
          <TextField label={t("word.email")} name="email" type="email" isRequired />
          <TextField
            label={t("word.password")}
            name="password"
            type="password"
            fill="new-password"
            least={6}
          />
        </Form>
      ),
      { signal },
    ),
  );
  const setPassword = (developer: Developer) =>
    openDialog(t("developers.passwordOf", { email: developer.email }), (close) => (
      <Form
        submit={t("developers.set")}
        send={async ({ password }) => {
          await askPortal("POST", `/developers/password/${encodeURIComponent(developer.id ?? "")}`, {
            password,
          });
          say(t("developers.passwordSet"));
        }}
        close={close}
      >
        <TextField
          label={t("word.newPassword")}
          name="password"
          type="password"
          fill="new-password"
          least={6}
          isRequired
        />
      </Form>
    ));
  return (
    <OwnersView
      id="developers"
      title={t("word.developers")}
      text={t("developers.text")}
      tools={<Act text={t("developers.new")} look="main" icon="plus" work={() => add("developer")} />}
      owners={developers}
      nameOf={({ email }) => email}
      inactiveText={t("developers.inactiveText")}
      deleteText={t("developers.deleteText")}
      textOf={({ email, fields = {} }) => `${email} ${Object.values(fields).join(" ")}`}
      first={[
        { title: t("word.email"), sort: ({ email }) => email, cell: ({ email }) => email },
        // If developers are asked no questions, the buttons use the space.
        ...(hasAnswers
          ? [
              {
                title: t("developers.answers"),
                cell: ({ fields = {} }: Developer) => <Answers fields={fields} />,
              },
            ]
          : []),
      ]}
      last={[
        {
          title: t("word.since"),
          sort: ({ date_created: at = "" }) => at,
          cell: ({ date_created: at = "" }) => <Time at={at} only="date" />,
        },
      ]}
      acts={(developer) => (
        <Act
          text={t("developers.setPassword")}
          about={developer.email}
          look="small"
          work={() => setPassword(developer)}
        />
      )}
      empty={<Empty title={t("developers.none")}>{t("developers.noneText")}</Empty>}
    />
  );
}

/** A policy, and whether it is defined in `gateway.yaml`, where pages cannot change it. */
interface ListedPolicy extends Policy {
  readonly isConfigured: boolean;
}

/** Returns all policies, those of the store first. */
export async function readPolicies(): Promise<readonly ListedPolicy[]> {
  const [stored, configured] = await Promise.all([
    askPortal<Listed<Policy>>("GET", "/policies?p=-1"),
    askPortal<Listed<ConfiguredPolicy>>("GET", "/policies/configured?p=-1"),
  ]);
  return [
    ...stored.Data.map((policy) => ({ ...policy, isConfigured: false })),
    ...configured.Data.map(({ apis, ...policy }) => ({
      ...policy,
      access_rights: Object.fromEntries(apis.map((api) => [api, {}])),
      isConfigured: true,
    })),
  ];
}

/** The view of the policies of the store and of `gateway.yaml`. */
export function PoliciesView() {
  const policies = useFetched(readPolicies);
  const apis = useFetched(() => askPortal<Listed<GrantableApi>>("GET", "/apis?p=-1"));
  const remove = (policy: ListedPolicy) =>
    confirmDeletion(
      policy.name,
      t("policies.deleteText"),
      () =>
        deleteShown(askPortal, `/policies/${encodeURIComponent(policy.id ?? "")}`, policy, ["isConfigured"]),
      policies.refresh,
    );
  const isReady = policies.answer !== undefined && !apis.isBusy;
  const edit = useLinkedDialog(
    "edit",
    async (id, signal) => {
      const policy = await readDocument<Policy>(`/policies/${encodeURIComponent(id)}`);
      if (policy === undefined) throw new Error(t("policies.noSuch"));
      await open(policy, signal);
    },
    isReady,
  );
  const add = useLinkedDialog("new", (_, signal) => open(undefined, signal), isReady);
  const open = (policy: Policy | undefined, signal: AbortSignal) =>
    openDialog(
      policy === undefined ? t("policies.new") : t("policies.one", { name: policy.name }),
      (close) => (
        <PolicyForm
          {...(policy !== undefined && { policy })}
          apis={apis.answer?.Data ?? []}
          save={async (body) => {
            const path =
              policy === undefined ? "/policies" : `/policies/${encodeURIComponent(policy.id ?? "")}`;
            await saveDocument(path, policy, body);
            await policies.refresh();
            say(t("policies.saved"));
          }}
          close={() => close()}
        />
      ),
      { isWide: true, signal },
    );
  return (
    <>
      <Heading
        title={t("word.policies")}
        tools={<Act text={t("policies.new")} look="main" icon="plus" work={() => add("policy")} />}
      >
        {t("policies.text")}
      </Heading>
      <Table
        id="policies"
        title={t("word.policies")}
        rows={policies.answer}
        fetched={policies}
        keyOf={({ id = "" }) => id}
        textOf={({ id = "", name }) => `${id} ${name}`}
        columns={[
          { title: t("word.name"), sort: ({ name }) => name, cell: ({ name }) => name },
          { title: t("policies.id"), cell: ({ id }) => <code>{id}</code> },
          { title: t("word.apis"), cell: ({ access_rights: rights = {} }) => Object.keys(rights).join(", ") },
          {
            title: t("policies.rate"),
            cell: ({ rate = 0, per = 0 }) =>
              rate > 0 ? t("policies.rateOf", { rate, time: spoken(per) }) : t("policies.noLimit"),
          },
          {
            title: t("word.quota"),
            isNumber: true,
            cell: ({ quota_max: most = -1 }) => (most < 0 ? t("word.none") : numberText(most)),
          },
          {
            title: t("word.acts"),
            isForActs: true,
            cell: (policy) =>
              policy.isConfigured ? (
                <div class="acts note">{t("policies.configured")}</div>
              ) : (
                <div class="acts">
                  <Act
                    text={t("word.edit")}
                    about={policy.name}
                    look="small"
                    work={() => edit(policy.id ?? "")}
                  />
                  <Act
                    text={t("word.delete")}
                    about={policy.name}
                    look="small danger"
                    work={() => remove(policy)}
                  />
                </div>
              ),
          },
        ]}
        empty={<Empty title={t("policies.none")}>{t("policies.noneText")}</Empty>}
      />
    </>
  );
}

/** Shows the answers that a developer gave when signing up. */
function Answers({ fields }: { readonly fields: NonNullable<Developer["fields"]> }) {
  const answers = Object.entries(fields);
  if (answers.length === 0) return t("word.none");
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
