// The parts shared by the administrators' lists of developers and of teams, which own keys.

import type { ComponentChildren } from "preact";
import type { Developer } from "../../runtime/portal/generated/developer.ts";
import type { Team } from "../../runtime/portal/generated/team.ts";
import { confirmed } from "../kit/dialogs.tsx";
import { type Fetched, useFetched } from "../kit/fetched.tsx";
import { Act, Heading } from "../kit/parts.tsx";
import { type Column, Table } from "../kit/table.tsx";
import { say } from "../kit/toasts.tsx";
import { readDocument, saveDocument } from "./administrator-document.tsx";
import { confirmDeletion, deleteShown } from "./deletion.ts";
import { askPortal, type Listed } from "./interface.ts";
import { t } from "./messages.ts";
import { StateBadge } from "./owner.tsx";

type Owner = Developer | Team;

/** A list of owners, and the path of each. */
export interface Owners<T extends Owner> {
  readonly fetched: Fetched<Listed<T>>;
  readonly path: (owner: T) => string;
  /** Changes fields of an owner and reloads the list. */
  readonly put: (owner: T, changes: Partial<T>) => Promise<void>;
}

/** Loads the owners at a path of the API. */
export function useOwners<T extends Owner>(base: string): Owners<T> {
  const fetched = useFetched(() => askPortal<Listed<T>>("GET", `${base}?p=-1`));
  const path = ({ id = "" }: T) => `${base}/${encodeURIComponent(id)}`;
  return {
    fetched,
    path,
    async put(owner, changes) {
      // The list may be old, and others may have changed other fields since.
      const newest = await readDocument<T>(path(owner));
      if (newest === undefined) throw new Error(t("word.changedMeanwhile"));
      await saveDocument(path(owner), newest, { ...newest, ...changes });
      await fetched.refresh();
    },
  };
}

/** A view of owners, in which they can be deactivated, activated and deleted. */
export function OwnersView<T extends Owner>(options: {
  readonly id: string;
  readonly title: string;
  /** The purpose of the view. */
  readonly text: string;
  readonly tools: ComponentChildren;
  readonly owners: Owners<T>;
  readonly nameOf: (owner: T) => string;
  /** The effects of deactivating and of deleting an owner. */
  readonly inactiveText: string;
  readonly deleteText: string;
  readonly textOf: (owner: T) => string;
  /** Columns before the state, and before the buttons. */
  readonly first: readonly Column<T>[];
  readonly last?: readonly Column<T>[];
  /** Additional buttons for an owner. */
  readonly acts: (owner: T) => ComponentChildren;
  readonly empty: ComponentChildren;
}) {
  const { id, title, text, tools, owners, nameOf, first, last = [], acts } = options;
  const { fetched, path, put } = owners;
  const setInactive = async (owner: T, inactive: boolean) => {
    await put(owner, { inactive } as Partial<T>);
    say(t(inactive ? "developers.inactive" : "developers.active", { name: nameOf(owner) }));
  };
  const turn = (owner: T) =>
    owner.inactive
      ? setInactive(owner, false)
      : confirmed(
          {
            title: t("developers.inactiveTitle", { name: nameOf(owner) }),
            text: options.inactiveText,
            yes: t("developers.makeInactive"),
          },
          () => setInactive(owner, true),
        );
  const remove = (owner: T) =>
    confirmDeletion(
      nameOf(owner),
      options.deleteText,
      () => deleteShown(askPortal, path(owner), owner),
      fetched.refresh,
    );
  return (
    <>
      <Heading title={title} tools={tools}>
        {text}
      </Heading>
      <Table
        id={id}
        title={title}
        rows={fetched.answer?.Data}
        fetched={fetched}
        keyOf={({ id = "" }) => id}
        textOf={options.textOf}
        columns={[
          ...first,
          {
            title: t("word.state"),
            sort: ({ inactive }) => String(inactive),
            cell: ({ inactive }) => <StateBadge inactive={inactive} />,
          },
          {
            title: t("word.keys"),
            isNumber: true,
            sort: ({ keys = {} }) => Object.keys(keys).length,
            cell: ({ keys = {} }) => Object.keys(keys).length,
          },
          ...last,
          {
            title: t("word.acts"),
            isForActs: true,
            cell: (owner) => (
              <div class="acts">
                {acts(owner)}
                <Act
                  text={t(owner.inactive ? "developers.makeActive" : "developers.makeInactive")}
                  about={nameOf(owner)}
                  look="small"
                  work={() => turn(owner)}
                />
                <Act
                  text={t("word.delete")}
                  about={nameOf(owner)}
                  look="small danger"
                  work={() => remove(owner)}
                />
              </div>
            ),
          },
        ]}
        empty={options.empty}
      />
    </>
  );
}
