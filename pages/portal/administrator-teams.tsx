// The administrators' view of teams.

import type { Developer } from "../../runtime/portal/generated/developer.ts";
import type { Team } from "../../runtime/portal/generated/team.ts";
import { openDialog, useLinkedDialog } from "../kit/dialogs.tsx";
import { ChoiceField, Form } from "../kit/forms.tsx";
import { Act, Empty } from "../kit/parts.tsx";
import { say } from "../kit/toasts.tsx";
import { OwnersView, useOwners } from "./administrator-owners.tsx";
import { askPortal, type Listed } from "./interface.ts";
import { t } from "./messages.ts";
import { MemberActs, memberPath, RoleBadge, RoleField } from "./team-members.tsx";
import { openNaming } from "./teams.tsx";

/** The view of teams. */
export function AdministratorTeams() {
  const teams = useOwners<Team>("/teams");
  const { fetched, put } = teams;
  const addMember = async (team: Team) => {
    const { Data } = await askPortal<Listed<Developer>>("GET", "/developers?p=-1");
    const known = new Set(team.members?.map(({ developer }) => developer));
    const others = Data.filter(({ id = "" }) => !known.has(id));
    if (others.length === 0) throw new Error(t("teams.noOthers"));
    await openDialog(t("teams.addTo", { name: team.name }), (close) => (
      <Form
        submit={t("teams.add")}
        send={async ({ developer = "", role = "" }) => {
          await askPortal("PUT", memberPath(team, developer), { role });
          await fetched.refresh();
          say(t("word.saved"));
        }}
        close={close}
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
        await fetched.refresh();
        say(t("teams.made"));
      },
      signal,
    ),
  );
  const rename = (team: Team) =>
    openNaming(t("teams.rename"), t("word.save"), team.name, async (name) => {
      await put(team, { name });
      say(t("word.saved"));
    });
  return (
    <OwnersView
      id="teams"
      title={t("word.teams")}
      text={t("teams.administratorText")}
      tools={<Act text={t("teams.new")} look="main" icon="plus" work={() => add("team")} />}
      owners={teams}
      nameOf={({ name }) => name}
      inactiveText={t("teams.makeInactiveText")}
      deleteText={t("teams.deleteText")}
      textOf={({ name, members = [] }) => `${name} ${members.map(({ email }) => email).join(" ")}`}
      first={[
        { title: t("word.name"), sort: ({ name }) => name, cell: ({ name }) => name },
        {
          title: t("teams.members"),
          cell: (team) => (
            <ul class="plain">
              {(team.members ?? []).map((member) => (
                <li key={member.developer}>
                  <span>
                    {member.email} <RoleBadge role={member.role} />
                  </span>
                  <MemberActs team={team} member={member} ask={askPortal} changed={fetched.refresh} />
                </li>
              ))}
              {team.members?.length === 0 && <li class="note">{t("teams.noMembers")}</li>}
              <li>
                <Act text={t("teams.add")} about={team.name} look="small" work={() => addMember(team)} />
              </li>
            </ul>
          ),
        },
      ]}
      acts={(team) => (
        <Act text={t("teams.rename")} about={team.name} look="small" work={() => rename(team)} />
      )}
      empty={<Empty title={t("teams.noneAtAll")}>{t("teams.noneAtAllText")}</Empty>}
    />
  );
}
