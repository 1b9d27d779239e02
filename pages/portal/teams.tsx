// Teams of a developer: the list with invitations, and one team with its members.

import { signal } from "@preact/signals";
import type { Team } from "../../runtime/portal/generated/team.ts";
import type { OwnInvitation, OwnTeam } from "../../runtime/portal/page/own-team-records.ts";
import { openDialog, useLinkedDialog } from "../kit/dialogs.tsx";
import { Awaited, useFetched } from "../kit/fetched.tsx";
import { Form, TextField } from "../kit/forms.tsx";
import { understood } from "../kit/messages.ts";
import { Act, Empty, Heading } from "../kit/parts.tsx";
import { goTo, linkTo } from "../kit/router.ts";
import type { NavigationGroup } from "../kit/shell.tsx";
import { Table } from "../kit/table.tsx";
import { say } from "../kit/toasts.tsx";
import { confirmDeletion } from "./deletion.ts";
import { askOwn, type Listed, type Written } from "./interface.ts";
import { t } from "./messages.ts";
import { StateBadge } from "./owner.tsx";
import { MemberActs, RoleBadge, RoleField } from "./team-members.tsx";

/** The current team, for the navigation. */
const shown = signal<{ readonly id: string; readonly name: string }>({ id: "", name: "" });

/** Returns the navigation of the team in the address. */
export function teamGroups([first, id = ""]: readonly string[]): readonly NavigationGroup[] {
  if (first !== "team" || id === "") return [];
  const title = shown.value.id === id ? shown.value.name : t("teams.one");
  const at = (view: string) => `team/${id}${view}`;
  return [
    {
      title,
      items: [
        { text: t("teams.members"), view: at(""), icon: "people" },
        { text: t("word.catalogue"), view: at("/catalogue"), icon: "book" },
        { text: t("word.requests"), view: at("/requests"), icon: "inbox" },
        { text: t("word.keys"), view: at("/keys"), icon: "key" },
        { text: t("nav.apps"), view: at("/apps"), icon: "apps" },
      ],
    },
  ];
}

/** Loads a team of the developer and shows its name in the navigation. */
export async function readTeam(id: string): Promise<Team> {
  const team = await askOwn<Team>("GET", `/teams/${encodeURIComponent(id)}`);
  shown.value = { id, name: team.name };
  return team;
}

/** Opens a dialog for the name of a team. */
export function openNaming(
  title: string,
  submit: string,
  name: string,
  send: (name: string) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  return openDialog(
    title,
    (close) => (
      <Form submit={submit} send={({ name: sent = "" }) => send(sent)} close={close}>
        <TextField label={t("word.name")} name="name" value={name} most={100} isRequired />
      </Form>
    ),
    signal && { signal },
  );
}

/** Lists the developer's teams and invitations. */
export function TeamsView() {
  const teams = useFetched(() => askOwn<Listed<OwnTeam>>("GET", "/teams"));
  const invitations = useFetched(() => askOwn<Listed<OwnInvitation>>("GET", "/invitations"));
  const answer = async (invitation: OwnInvitation, method: "POST" | "DELETE") => {
    await askOwn(method, `/invitations/${encodeURIComponent(invitation.team)}`);
    await Promise.all([teams.refresh(), invitations.refresh()]);
    say(t(method === "POST" ? "teams.joined" : "teams.declined", { name: invitation.name }));
  };
  const add = useLinkedDialog("new", (_, signal) =>
    openNaming(
      t("teams.new"),
      t("teams.make"),
      "",
      async (name) => {
        const { Message } = await askOwn<Written>("POST", "/teams", { name });
        goTo("team", Message);
        say(t("teams.made"));
      },
      signal,
    ),
  );
  const waiting = invitations.answer?.Data ?? [];
  return (
    <>
      <Heading
        title={t("word.teams")}
        tools={<Act text={t("teams.new")} look="main" icon="plus" work={() => add("team")} />}
      >
        {t("teams.text")}
      </Heading>
      {(waiting.length > 0 || invitations.failure !== undefined) && (
        <Table
          id="invitations"
          title={t("teams.invitations")}
          rows={waiting}
          fetched={invitations}
          keyOf={({ team }) => team}
          columns={[
            { title: t("teams.one"), cell: ({ name }) => name },
            { title: t("teams.role"), cell: ({ role }) => <RoleBadge role={role} /> },
            {
              title: t("word.acts"),
              isForActs: true,
              cell: (each) => (
                <div class="acts">
                  <Act
                    text={t("teams.accept")}
                    about={each.name}
                    look="small main"
                    work={() => answer(each, "POST")}
                  />
                  <Act
                    text={t("teams.decline")}
                    about={each.name}
                    look="small"
                    work={() => answer(each, "DELETE")}
                  />
                </div>
              ),
            },
          ]}
          empty={null}
        />
      )}
      <Table
        id="teams"
        title={t("teams.yours")}
        rows={teams.answer?.Data}
        fetched={teams}
        keyOf={({ id }) => id}
        textOf={({ name }) => name}
        columns={[
          {
            title: t("word.name"),
            sort: ({ name }) => name,
            cell: ({ id, name }) => <a href={linkTo("team", id)}>{name}</a>,
          },
          {
            title: t("teams.yourRole"),
            sort: ({ role }) => role,
            cell: ({ role }) => <RoleBadge role={role} />,
          },
          {
            title: t("word.state"),
            cell: ({ inactive }) => <StateBadge inactive={inactive} />,
          },
          {
            title: t("word.acts"),
            isForActs: true,
            cell: ({ id, name }) => (
              <a
                class="button small"
                href={linkTo("team", id, "keys")}
                aria-label={t("teams.keysOf", { name })}
              >
                {t("word.keys")}
              </a>
            ),
          },
        ]}
        empty={<Empty title={t("teams.none")}>{t("teams.noneText")}</Empty>}
      />
    </>
  );
}

/** Shows a team: its members, its invitations, and the actions of its owners. */
export function TeamView({ id }: { readonly id: string }) {
  const path = `/teams/${encodeURIComponent(id)}`;
  const fetched = useFetched(
    async () => {
      const [team, me] = await Promise.all([readTeam(id), askOwn<{ readonly id: string }>("GET", "/me")]);
      return { team, me: me.id };
    },
    { keys: [id] },
  );
  return (
    <Awaited fetched={fetched} name={t("teams.one")}>
      {({ team, me }) => <TeamPart team={team} me={me} path={path} refresh={fetched.refresh} />}
    </Awaited>
  );
}

function TeamPart(options: {
  readonly team: Team;
  readonly me: string;
  readonly path: string;
  readonly refresh: () => Promise<void>;
}) {
  const { team, me, path, refresh } = options;
  const { name, members = [], invitations = [] } = team;
  const isOwner = members.some(({ developer, role }) => developer === me && role === "owner");
  const invite = () =>
    openDialog(t("teams.invite"), (close) => (
      <Form
        submit={t("teams.inviteThem")}
        send={async ({ email = "", role = "" }) => {
          const { Message } = await askOwn<Written>("POST", `${path}/invitations`, { email, role });
          await refresh();
          // If no e-mail was sent, the server's message says so.
          say(Message === "Data updated" ? t("teams.invited", { email }) : understood(Message));
        }}
        close={close}
      >
        <TextField
          label={t("word.address")}
          name="email"
          type="email"
          note={t("teams.inviteNote")}
          isRequired
        />
        <RoleField />
      </Form>
    ));
  const takeBack = async (email: string) => {
    await askOwn("DELETE", `${path}/invitations/${encodeURIComponent(email)}`);
    await refresh();
    say(t("teams.takenBack"));
  };
  const rename = () =>
    openNaming(t("teams.rename"), t("word.save"), name, async (sent) => {
      await askOwn("PUT", path, { name: sent }, team);
      await refresh();
      say(t("word.saved"));
    });
  const destroy = () =>
    confirmDeletion(name, t("teams.deleteText"), async () => {
      await askOwn("DELETE", path, undefined, team);
      goTo("teams");
    });
  return (
    <>
      <Heading
        title={name}
        crumbs={<a href={linkTo("teams")}>{t("word.teams")}</a>}
        tools={
          isOwner && (
            <>
              <Act text={t("teams.invite")} look="main" icon="plus" work={invite} />
              <Act text={t("teams.rename")} work={rename} />
              <Act text={t("teams.delete")} look="danger" work={destroy} />
            </>
          )
        }
      >
        {t(isOwner ? "teams.ownerText" : "teams.memberText")}
      </Heading>
      {team.inactive === true && <p class="notice">{t("teams.inactiveText")}</p>}
      <Table
        id="members"
        title={t("teams.members")}
        rows={members}
        keyOf={({ developer }) => developer}
        textOf={({ email }) => email}
        columns={[
          {
            title: t("word.email"),
            sort: ({ email }) => email,
            cell: ({ developer, email }) => (developer === me ? t("teams.you", { email }) : email),
          },
          { title: t("teams.role"), sort: ({ role }) => role, cell: ({ role }) => <RoleBadge role={role} /> },
          {
            title: t("word.acts"),
            isForActs: true,
            cell: (member) => (
              <MemberActs
                team={team}
                member={member}
                ask={askOwn}
                changed={refresh}
                me={me}
                isOwner={isOwner}
              />
            ),
          },
        ]}
        empty={<Empty title={t("teams.noMembers")} />}
      />
      {invitations.length > 0 && (
        <Table
          id="invited"
          title={t("teams.invitedPeople")}
          rows={invitations}
          keyOf={({ email }) => email}
          columns={[
            { title: t("word.email"), cell: ({ email }) => email },
            { title: t("teams.role"), cell: ({ role }) => <RoleBadge role={role} /> },
            {
              title: t("word.acts"),
              isForActs: true,
              cell: ({ email }) =>
                isOwner && (
                  <Act
                    text={t("requests.takeBack")}
                    about={email}
                    look="small"
                    work={() => takeBack(email)}
                  />
                ),
            },
          ]}
          empty={null}
        />
      )}
    </>
  );
}
