// Members of a team, as developers and administrators see them: their roles, and the buttons that change them.

import type { Team } from "../../runtime/portal/generated/team.ts";
import { confirmed } from "../kit/dialogs.tsx";
import { ChoiceField } from "../kit/forms.tsx";
import { Act, Badge } from "../kit/parts.tsx";
import { goTo } from "../kit/router.ts";
import { say } from "../kit/toasts.tsx";
import type { askOwn } from "./interface.ts";
import { t } from "./messages.ts";

type Member = NonNullable<Team["members"]>[number];
type Role = Member["role"];

/** A field to choose a role. */
export function RoleField({ value = "member" }: { readonly value?: Role }) {
  return (
    <ChoiceField
      label={t("teams.role")}
      name="role"
      value={value}
      note={t("teams.roleNote")}
      choices={[
        ["member", t("teams.role.member")],
        ["owner", t("teams.role.owner")],
      ]}
    />
  );
}

/** Shows a role as a badge. */
export function RoleBadge({ role }: { readonly role: Role }) {
  return <Badge tone={role === "owner" ? "good" : "plain"}>{t(`teams.role.${role}`)}</Badge>;
}

/** Buttons to change the role of a member, and to remove the member. */
export function MemberActs(options: {
  readonly team: Team;
  readonly member: Member;
  /** Sends a request about the team. */
  readonly ask: typeof askOwn;
  /** Called after a change, if the user can still see the team. */
  readonly changed: () => Promise<void>;
  /** The logged-in developer; absent for an administrator. */
  readonly me?: string;
  readonly isOwner?: boolean;
}) {
  const { team, member, ask, changed, me, isOwner = true } = options;
  const { name } = team;
  const { developer, email, role } = member;
  const isSelf = developer === me;
  const path = memberPath(team, developer);
  const turn = async () => {
    await ask("PUT", path, { role: role === "owner" ? "member" : "owner" });
    await changed();
    say(t("word.saved"));
  };
  const leave = async () => {
    await ask("DELETE", path);
    goTo("teams");
    say(t("teams.left", { name }));
  };
  const remove = async () => {
    await ask("DELETE", path);
    say(t("teams.removed"));
  };
  const confirmRemoval = () =>
    isSelf
      ? confirmed(
          { title: t("teams.leaveTitle", { name }), text: t("teams.leaveText"), yes: t("teams.leave") },
          leave,
        )
      : confirmed(
          {
            title: t("teams.removeTitle", { email, name }),
            text: t("teams.removeText"),
            yes: t("teams.removeIt"),
          },
          remove,
          changed,
        );
  return (
    <div class="acts">
      {isOwner && (
        <Act
          text={t(role === "owner" ? "teams.makeMember" : "teams.makeOwner")}
          about={email}
          look="small"
          work={turn}
        />
      )}
      {(isOwner || isSelf) && (
        <Act
          text={t(isSelf ? "teams.leave" : "teams.remove")}
          about={email}
          look="small danger"
          work={confirmRemoval}
        />
      )}
    </div>
  );
}

/** Returns the path of a member of a team. */
export function memberPath({ id = "" }: Team, developer: string): string {
  return `/teams/${encodeURIComponent(id)}/members/${encodeURIComponent(developer)}`;
}
