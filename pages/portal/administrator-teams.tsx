// Teams, as administrators see them.

import type { Developer } from "../../runtime/portal/generated/developer.ts";
import type { Team } from "../../runtime/portal/generated/team.ts";
import { useAsked } from "../kit/asked.tsx";
import { confirmed, openDialog, useLinkedDialog } from "../kit/dialogs.tsx";
import { ChoiceField, Form } from "../kit/forms.tsx";
import { Act, Badge, Empty, Heading } from "../kit/parts.tsx";
import { Table } from "../kit/table.tsx";
import { say } from "../kit/toasts.tsx";
import { CloseButton } from "./administrator-records.tsx";
import { askPortal, type Listed } from "./interface.ts";
import { t } from "./messages.ts";
import { openNaming, RoleBadge, RoleField } from "./teams.tsx";

type Member = NonNullable<Team["members"]>[number];

/** The view. */
export function AdministratorTeams() {
  const teams = useAsked(() => askPortal<Listed<Team>>("GET", "/teams?p=-1"));
  const path = ({ id = "" }: Team) => `/teams/${encodeURIComponent(id)}`;
  const memberPath = (team: Team, developer: string) =>
    `${path(team)}/members/${encodeURIComponent(developer)}`;
  const setInactive = async (team: Team, inactive: boolean) => {
    await askPortal("PUT", path(team), { name: team.name, inactive });
    await teams.refresh();
    say(t(inactive ? "developers.inactive" : "developers.active", { email: team.name }));
  };
  const turn = (team: Team) =>
    team.inactive
      ? setInactive(team, false)
      : confirmed(
          {
            title: t("developers.inactiveTitle", { email: team.name }),
            text: t("teams.makeInactiveText"),
            yes: t("developers.makeInactive"),
          },
          () => setInactive(team, true),
        );
  const remove = (team: Team) =>
    confirmed(
      {
        title: t("word.deleteNamed", { name: team.name }),
        text: t("teams.deleteText"),
        yes: t("word.delete"),
      },
      async () => {
        await askPortal("DELETE", path(team));
        await teams.refresh();
        say(t("word.deleted"));
      },
    );
  const removeMember = (team: Team, { developer, email }: Member) =>
    confirmed(
      {
        title: t("teams.removeTitle", { email, name: team.name }),
        text: t("teams.removeText"),
        yes: t("teams.removeIt"),
      },
      async () => {
        await askPortal("DELETE", memberPath(team, developer));
        await teams.refresh();
        say(t("teams.removed"));
      },
    );
  const putMember = async (team: Team, developer: string, role: string) => {
    await askPortal("PUT", memberPath(team, developer), { role });
    await teams.refresh();
    say(t("word.saved"));
  };
  const addMember = async (team: Team) => {
    const { Data } = await askPortal<Listed<Developer>>("GET", "/developers?p=-1");
    const known = new Set(team.members?.map(({ developer }) => developer));
    const others = Data.filter(({ id = "" }) => !known.has(id));
    if (others.length === 0) throw new Error(t("teams.noOthers"));
    await openDialog(t("teams.addTo", { name: team.name }), (close) => (
      <Form
        submit={t("teams.add")}
        send={async ({ developer = "", role = "" }) => {
          await putMember(team, developer, role);
          close();
        }}
        beside={<CloseButton close={() => close()} />}
      >
        <ChoiceField
          label={t("approvals.developer")}
          name="developer"
          choices={others.map(({ id = "", email }) => [id, email])}
        />
        <RoleField />
      </Form>
    ));
  };
  const add = useLinkedDialog("new", (_, signal) =>
    openNaming(
      t("teams.new"),
      t("teams.make"),
      "",
      async (name) => {
        await askPortal("POST", "/teams", { name });
        await teams.refresh();
        say(t("teams.made"));
      },
      signal,
    ),
  );
  const rename = (team: Team) =>
    openNaming(t("teams.rename"), t("word.save"), team.name, async (name) => {
      await askPortal("PUT", path(team), { name, inactive: team.inactive });
      await teams.refresh();
      say(t("word.saved"));
    });
  return (
    <>
      <Heading
        title={t("word.teams")}
        tools={<Act text={t("teams.new")} look="main" icon="plus" work={() => add("team")} />}
      >
        {t("teams.administratorText")}
      </Heading>
      <Table
        id="teams"
        title={t("word.teams")}
        rows={teams.answer?.Data}
        asked={teams}
        keyOf={({ id = "" }) => id}
        textOf={({ name, members = [] }) => `${name} ${members.map(({ email }) => email).join(" ")}`}
        columns={[
          { title: t("word.name"), sort: ({ name }) => name, cell: ({ name }) => name },
          {
            title: t("teams.members"),
            cell: (team) => (
              <ul class="plain">
                {(team.members ?? []).map((member) => (
                  <li key={member.developer}>
                    {member.email} <RoleBadge role={member.role} />
                    <span class="acts">
                      <Act
                        text={t(member.role === "owner" ? "teams.makeMember" : "teams.makeOwner")}
                        about={member.email}
                        look="small"
                        work={() =>
                          putMember(team, member.developer, member.role === "owner" ? "member" : "owner")
                        }
                      />
                      <Act
                        text={t("teams.remove")}
                        about={member.email}
                        look="small danger"
                        work={() => removeMember(team, member)}
                      />
                    </span>
                  </li>
                ))}
                {team.members?.length === 0 && <li class="note">{t("teams.noMembers")}</li>}
              </ul>
            ),
          },
          {
            title: t("word.state"),
            sort: ({ inactive }) => String(inactive),
            cell: ({ inactive }) => (
              <Badge tone={inactive ? "warn" : "good"}>
                {t(inactive ? "developers.stateInactive" : "developers.stateActive")}
              </Badge>
            ),
          },
          {
            title: t("word.keys"),
            isNumber: true,
            sort: ({ keys = {} }) => Object.keys(keys).length,
            cell: ({ keys = {} }) => Object.keys(keys).length,
          },
          {
            title: t("word.acts"),
            isForActs: true,
            cell: (team) => (
              <div class="acts">
                <Act text={t("teams.add")} about={team.name} look="small" work={() => addMember(team)} />
                <Act text={t("teams.rename")} about={team.name} look="small" work={() => rename(team)} />
                <Act
                  text={team.inactive ? t("developers.makeActive") : t("developers.makeInactive")}
                  about={team.name}
                  look="small"
                  work={() => turn(team)}
                />
                <Act
                  text={t("word.delete")}
                  about={team.name}
                  look="small danger"
                  work={() => remove(team)}
                />
              </div>
            ),
          },
        ]}
        empty={<Empty title={t("teams.noneAtAll")}>{t("teams.noneAtAllText")}</Empty>}
      />
    </>
  );
}
