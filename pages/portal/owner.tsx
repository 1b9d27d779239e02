// In whose name a developer looks at keys, requests and apps: the developer's own, or a team's.

import { type ComponentChildren, createContext } from "preact";
import { useContext } from "preact/hooks";
import { Badge } from "../kit/parts.tsx";
import { linkTo } from "../kit/router.ts";
import { askOwn } from "./interface.ts";
import { t } from "./messages.ts";

/** Whose what is shown is. */
export interface Owner {
  /** Sends a request about what is the owner's. */
  readonly ask: typeof askOwn;
  /** The address of a view of it. */
  readonly link: typeof linkTo;
  /** The team; absent for the developer. */
  readonly team?: { readonly id: string; readonly name: string };
}

const OwnerContext = createContext<Owner>({ ask: askOwn, link: linkTo });

/** Whose what the view shows is. */
export function useOwner(): Owner {
  return useContext(OwnerContext);
}

/** The way back from a view of what a team has; nothing in one of what a developer has. */
export function ownerCrumbs({ team }: Owner) {
  if (team === undefined) return {};
  return {
    crumbs: (
      <>
        <a href={linkTo("teams")}>{t("word.teams")}</a> / <a href={linkTo("team", team.id)}>{team.name}</a>
      </>
    ),
  };
}

/** Has the views inside be about a team. */
export function OfTeam(options: {
  readonly team: { readonly id: string; readonly name: string };
  readonly children: ComponentChildren;
}) {
  const { team, children } = options;
  const { id } = team;
  const base = `/teams/${encodeURIComponent(id)}`;
  const owner: Owner = {
    team,
    ask: (method, path, body) => askOwn(method, `${base}${path}`, body),
    link: (...parts) => linkTo("team", id, ...(parts.length === 0 ? ["catalogue"] : parts)),
  };
  return <OwnerContext.Provider value={owner}>{children}</OwnerContext.Provider>;
}

/** Whether the credentials of a developer or team work. */
export function StateBadge({ inactive = false }: { readonly inactive: boolean | undefined }) {
  return (
    <Badge tone={inactive ? "warn" : "good"}>
      {t(inactive ? "developers.stateInactive" : "developers.stateActive")}
    </Badge>
  );
}
