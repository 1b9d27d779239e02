// The owner of the keys, requests and apps that a view shows: the developer, or a team.

import { type ComponentChildren, createContext } from "preact";
import { useContext } from "preact/hooks";
import { Badge } from "../kit/parts.tsx";
import { linkTo } from "../kit/router.ts";
import { askOwn } from "./interface.ts";
import { t } from "./messages.ts";

/** The owner of the shown records. */
export interface Owner {
  /** Sends a request about the owner's records. */
  readonly ask: typeof askOwn;
  /** Returns the address of a view of the owner. */
  readonly link: typeof linkTo;
  /** The team; absent for the developer. */
  readonly team?: { readonly id: string; readonly name: string };
}

const OwnerContext = createContext<Owner>({ ask: askOwn, link: linkTo });

/** Returns the owner of the records in the view. */
export function useOwner(): Owner {
  return useContext(OwnerContext);
}

/** Returns the link back from a view of a team; nothing for a developer. */
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

/** Makes the views inside show the records of a team. */
export function OfTeam(options: {
  readonly team: { readonly id: string; readonly name: string };
  readonly children: ComponentChildren;
}) {
  const { team, children } = options;
  const { id } = team;
  const base = `/teams/${encodeURIComponent(id)}`;
  const owner: Owner = {
    team,
    ask: (method, path, body, read) => askOwn(method, `${base}${path}`, body, read),
    link: (...parts) => linkTo("team", id, ...(parts.length === 0 ? ["catalogue"] : parts)),
  };
  return <OwnerContext.Provider value={owner}>{children}</OwnerContext.Provider>;
}

/** Shows whether the credentials of a developer or team are active. */
export function StateBadge({ inactive = false }: { readonly inactive: boolean | undefined }) {
  return (
    <Badge tone={inactive ? "warn" : "good"}>
      {t(inactive ? "developers.stateInactive" : "developers.stateActive")}
    </Badge>
  );
}
