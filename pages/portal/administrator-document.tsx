// Documents with entity tags, most of which an organisation has one of: reading, changing and showing them.

import type { ComponentChild } from "preact";
import { Awaited, useFetched } from "../kit/fetched.tsx";
import { Heading } from "../kit/parts.tsx";
import { Refusal } from "../kit/requests.ts";
import { askPortal } from "./interface.ts";
import { t } from "./messages.ts";

/** Returns the document at a path; `undefined` if it does not exist. */
export async function readDocument<T extends object>(path: string): Promise<T | undefined> {
  try {
    return await askPortal<T>("GET", path);
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return undefined;
    throw error;
  }
}

/**
 * Saves a document. `found`: the document that was read; without one, creates a document. Rejects if somebody has
 * changed it since.
 */
export async function saveDocument(path: string, found: object | undefined, document: object): Promise<void> {
  await askPortal(found === undefined ? "POST" : "PUT", path, document, found);
}

/**
 * Replaces an entry of a list in a document: the newest one, because others may have changed other entries. Adds the entry
 * if there is no `former` one, and removes that if there is no new one. Rejects if somebody has changed the same entry.
 */
export async function changeEntry<E extends object>(
  path: string,
  list: "apis" | "pages",
  former: E | undefined,
  entry: E | undefined,
): Promise<void> {
  const found = await readDocument<Readonly<Record<string, unknown>>>(path);
  const { id: _, org_id: __, ...rest } = found ?? {};
  const entries = (rest[list] ?? []) as readonly E[];
  const text = JSON.stringify(former);
  const index =
    former === undefined ? entries.length : entries.findIndex((each) => JSON.stringify(each) === text);
  if (index === -1) throw new Error(t("word.changedMeanwhile"));
  const changed = entries.toSpliced(index, 1, ...(entry === undefined ? [] : [entry]));
  await saveDocument(path, found, { ...rest, [list]: changed });
}

/** The properties of a component that shows such a document. */
export interface DocumentPart<T> {
  readonly found: T | undefined;
  readonly refresh: () => Promise<void>;
}

/** A view of such a document. */
export function DocumentView<T extends object>({
  path,
  title,
  text,
  part: Part,
}: {
  readonly path: string;
  readonly title: string;
  readonly text: string;
  readonly part: (properties: DocumentPart<T>) => ComponentChild;
}) {
  const fetched = useFetched(async () => ({ found: await readDocument<T>(path) }));
  return (
    <>
      <Heading title={title}>{text}</Heading>
      <Awaited fetched={fetched} name={title}>
        {({ found }) => <Part found={found} refresh={fetched.refresh} />}
      </Awaited>
    </>
  );
}
