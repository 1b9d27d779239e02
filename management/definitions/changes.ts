// Changes definitions, one change after another in this process. Detects concurrent changes by other processes.

import { randomUUID } from "node:crypto";
import type { DefinitionDiagnostic } from "../../compiler/compile-definition.ts";
import { GatewayError } from "../../runtime/errors.ts";
import { refusal } from "../../runtime/rest/answers.ts";
import { matches } from "../../runtime/rest/entity-tags.ts";
import type { RestCaller } from "../../runtime/rest/operation.ts";
import { createIdentifier } from "../../runtime/store/identifiers.ts";
import { may, permitted, refuseUnlessMay } from "../access/rights.ts";
import { noteChange } from "../audit/audit.ts";
import { countChange, type ManagementTransaction } from "../store/open.ts";
import { readSet, type SetMember, type StoredApis } from "./apis.ts";
import {
  type Building,
  type CheckedDefinition,
  checkDefinition,
  isPlaceTaken,
  type OwnedDefinition,
  placeTaken,
} from "./check.ts";
import { dependantsOf } from "./dependants.ts";
import { columnsOf, writeBuilt, writeVersion } from "./kept-definitions.ts";
import { digestOf, type SentDefinition, versionTag } from "./sent.ts";

/** The result of a change. */
export interface Changed {
  readonly id: string;
  readonly storeId: string;
  readonly etag: string;
  /** The warnings about an accepted definition. */
  readonly warnings: readonly DefinitionDiagnostic[];
}

/** The caller and the operation of a change, and the expected state. */
export interface ChangeOptions {
  readonly caller: RestCaller;
  readonly action: string;
  /** The `If-Match` header. */
  readonly ifMatch?: string | undefined;
}

/** A planned change, with the data for the audit log. */
interface Step {
  readonly object: string;
  readonly before?: string;
  readonly after?: string;
  readonly detail?: string;
  write(connection: ManagementTransaction, now: string): Promise<void>;
}

const mostAttempts = 10;

/** Thrown if another process has changed the set since it was read. */
class Outrun extends Error {
  override readonly name = "Outrun";
}

/** Makes changes, each completely or not at all, and reports them. */
export class Changes {
  readonly #building: Building;
  readonly #changed: () => void;
  #last: Promise<unknown> = Promise.resolve();

  constructor(building: Building, changed: () => void) {
    this.#building = building;
    this.#changed = changed;
  }

  /** Creates an API. Rejects with a `refusal`: 400, 403, 409. */
  create(sent: SentDefinition, options: ChangeOptions): Promise<Changed> {
    const fresh = randomUUID().replaceAll("-", "");
    return this.#change(options, async (set) => {
      const { caller } = options;
      const owned = ownedBy(caller, sent);
      const first = await this.#check(fresh, owned, set.members);
      const id = givenId(first) ?? fresh;
      refuseUnlessMay(caller, { id, name: first.facts.name });
      await this.#refuseTaken(id, caller, set.members);
      const checked = id === fresh ? first : await this.#check(id, owned, set.members);
      const storeId = createIdentifier();
      const version = await this.#nextVersion(id);
      const digest = digestOf(sent.text);
      const taken = { id, storeId, sent, checked, version, caller: options.caller };
      return {
        result: { id, storeId, etag: versionTag(version, digest), warnings: checked.diagnostics },
        step: {
          object: id,
          after: digest,
          write: async (connection, now) => {
            const org_id = options.caller.organisation;
            const row = { id, store_id: storeId, org_id, created_at: now, stopped: "[]", restarts: "{}" };
            await connection
              .insertInto("management_apis")
              .values({ ...row, ...columnsOf(sent, checked, version, now) })
              .execute();
            await writeVersion(connection, taken, now);
            await writeBuilt(connection, checked.built, now);
          },
        },
      };
    });
  }

  /**
   * Replaces an API's definition with the result of `make`, as a new version. Rejects with a `refusal`: 400, 403, 412,
   * or 404 with the message `missing`.
   */
  replace(
    id: string,
    make: () => Promise<SentDefinition>,
    { missing, ...options }: ChangeOptions & { readonly missing: string },
  ): Promise<Changed> {
    return this.#change(options, async (set) => {
      const api = memberOf(set, id, options, missing);
      const sent = await make();
      const checked = await this.#check(id, ownedBy(options.caller, sent), othersOf(set, id));
      if ((givenId(checked) ?? id) !== id) throw refusal(400, "Invalid `ID` value");
      refuseUnlessMay(options.caller, { id, name: checked.facts.name });
      const version = await this.#nextVersion(id);
      const digest = digestOf(sent.text);
      const storeId = api.store_id;
      const taken = { id, storeId, sent, checked, version, caller: options.caller };
      return {
        result: { id, storeId, etag: versionTag(version, digest), warnings: checked.diagnostics },
        step: {
          object: id,
          before: api.digest,
          after: digest,
          detail: `version ${version}`,
          write: async (connection, now) => {
            await connection
              .updateTable("management_apis")
              .set(columnsOf(sent, checked, version, now))
              .where("id", "=", id)
              .execute();
            await writeVersion(connection, taken, now);
            await writeBuilt(connection, checked.built, now);
          },
        },
      };
    });
  }

  /** Deletes an API. Its versions stay, for rollbacks of deployments. Rejects with 404, 409 and 412. */
  delete(id: string, options: ChangeOptions): Promise<void> {
    return this.#change(options, async (set) => {
      const api = memberOf(set, id, options, "Could not retrieve API detail.");
      const dependants = await dependantsOf(this.#building, id, set.members);
      if (dependants.length > 0) throw refusal(409, neededBy(dependants, options.caller));
      return {
        result: undefined,
        step: {
          object: id,
          before: api.digest,
          write: async (connection) => {
            await connection.deleteFrom("management_apis").where("id", "=", id).execute();
          },
        },
      };
    });
  }

  /** Makes another change of the set. `plan` gets the set and is called again if another process has changed it. */
  change<R>(
    options: ChangeOptions,
    plan: (set: StoredApis) => Promise<{ readonly result: R; readonly step: Step }>,
  ): Promise<R> {
    return this.#change(options, plan);
  }

  /** Checks a definition, of the API `meant` if given, without changing anything. Rejects as `create` does. */
  async check(sent: SentDefinition, caller: RestCaller, meant?: string): Promise<CheckedDefinition> {
    const { organisation } = caller;
    const owned = ownedBy(caller, sent);
    const { members } = await readSet(this.#building.store);
    if (meant !== undefined) {
      const checked = await this.#check(meant, owned, othersOf({ members }, meant));
      if ((givenId(checked) ?? meant) !== meant) throw refusal(400, "Invalid `ID` value");
      return checked;
    }
    const fresh = randomUUID().replaceAll("-", "");
    const own = members.filter((each) => each.org_id === organisation && may(caller, "read", each));
    // The definition may belong to an existing API.
    const isThere = (id: string | undefined) => own.some((each) => each.id === id);
    const first = await this.#check(fresh, owned, members);
    const id = givenId(first);
    if (id === undefined) return first;
    if (!isThere(id)) await this.#refuseTaken(id, caller, members);
    return this.#check(id, owned, othersOf({ members }, id));
  }

  /** Rejects with 403 if a definition has a route of another organisation's API. */
  async refuseTakenPlace(id: string, owned: OwnedDefinition, { members }: StoredApis): Promise<void> {
    if (await isPlaceTaken(this.#building, id, owned, members)) throw placeTaken();
  }

  #check(id: string, owned: OwnedDefinition, others: readonly SetMember[]): Promise<CheckedDefinition> {
    return checkDefinition(this.#building, id, owned, others);
  }

  /**
   * Rejects with 409 if an id is in use, or was used by another organisation or for an API that the caller may not
   * write: keys and policies that name the id may still exist, and its versions do.
   */
  async #refuseTaken(id: string, caller: RestCaller, members: readonly SetMember[]): Promise<void> {
    const former = await this.#building.store.read((connection) =>
      connection
        .selectFrom("management_versions")
        .select(["org_id", "name"])
        .where("api_id", "=", id)
        .orderBy("version", "desc")
        .limit(1)
        .executeTakeFirst(),
    );
    const isForeign =
      former !== undefined &&
      (former.org_id !== caller.organisation || !may(caller, "write", { id, name: former.name }));
    if (isForeign || members.some((each) => each.id === id))
      throw refusal(409, "Found API with the same ID.");
  }

  /** Returns the next version number, which continues the versions of a deleted API with the same id. */
  async #nextVersion(id: string): Promise<number> {
    const row = await this.#building.store.read((connection) =>
      connection
        .selectFrom("management_versions")
        .select(({ fn }) => fn.max("version").as("newest"))
        .where("api_id", "=", id)
        .executeTakeFirst(),
    );
    return Number(row?.newest ?? 0) + 1;
  }

  #change<R>(
    { caller, action }: ChangeOptions,
    plan: (set: StoredApis) => Promise<{ readonly result: R; readonly step: Step }>,
  ): Promise<R> {
    const turn = this.#last.then(async () => {
      for (let attempt = 1; attempt <= mostAttempts; attempt += 1) {
        const set = await readSet(this.#building.store);
        const { result, step } = await plan(set);
        if (await this.#commit(set.revision, caller, action, step)) {
          this.#changed();
          return result;
        }
      }
      throw new GatewayError(503, "The set of APIs is changing", { retryAfter: 1 });
    });
    this.#last = turn.catch(() => undefined); // a failure does not affect the next change
    return turn;
  }

  /** Makes a change. Returns `false` if the set has changed since the step was planned. */
  async #commit(revision: number, caller: RestCaller, action: string, step: Step): Promise<boolean> {
    const { object, before, after, detail } = step;
    const contents = { ...(before && { before }), ...(after && { after }), ...(detail && { detail }) };
    try {
      await this.#building.store.transact(async (connection) => {
        const now = new Date().toISOString();
        // Other transactions wait here until this one ends.
        if ((await countChange(connection, "definitions", now)) !== revision + 1) throw new Outrun();
        await step.write(connection, now);
        await noteChange(connection, caller, { action, object, ...contents }, now);
      });
      return true;
    } catch (error) {
      if (error instanceof Outrun) return false;
      throw error;
    }
  }
}

/**
 * Returns an API of a set. Throws if the caller may not change it (404, 403) or `ifMatch` names another version (412).
 */
export function memberOf(
  { members }: StoredApis,
  id: string,
  { caller, ifMatch }: Pick<ChangeOptions, "caller" | "ifMatch">,
  missing: string,
): SetMember {
  const found = members.find((each) => each.id === id && each.org_id === caller.organisation);
  const api = permitted(caller, "write", found, refusal(404, missing));
  if (ifMatch !== undefined && !matches(ifMatch, versionTag(api.version, api.digest))) {
    throw refusal(412, "The API has been changed meanwhile.");
  }
  return api;
}

function othersOf({ members }: Pick<StoredApis, "members">, id: string): readonly SetMember[] {
  return members.filter((each) => each.id !== id);
}

/** Returns a message with the dependants that the caller may see. */
function neededBy(dependants: readonly SetMember[], caller: RestCaller): string {
  const seen = dependants.filter((each) => may(caller, "read", each)).map(({ id }) => `\`${id}\``);
  return `This API is needed by ${seen.length === 0 ? "another one" : seen.join(", ")}.`;
}

/** Treats APIs that the caller may not read as those of another organisation, so that no diagnostic reveals them. */
function ownedBy(caller: RestCaller, { text, format }: SentDefinition): OwnedDefinition {
  const { organisation } = caller;
  return { text, format, organisation, sees: (other) => may(caller, "read", other) };
}

/** Ids are used in paths and in file names. */
const idPattern = /^[A-Za-z0-9][\w.-]{0,127}$/;

function givenId({ facts }: CheckedDefinition): string | undefined {
  if (facts.id !== undefined && !idPattern.test(facts.id)) throw refusal(400, "Invalid `ID` value");
  return facts.id;
}
