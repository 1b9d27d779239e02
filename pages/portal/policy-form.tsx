// A form for policies, with the complete policy as JSON.

import { useState } from "preact/hooks";
import type { Policy } from "../../runtime/portal/generated/policy.ts";
import type { GrantableApi } from "../../runtime/portal/policies/named-in-policies.ts";
import { FieldError, LongField, numberIn, secondsIn, TextField, TimeField } from "../kit/forms.tsx";
import { t } from "./messages.ts";
import { RecordForm } from "./record-form.tsx";

type Right = NonNullable<Policy["access_rights"]>[string];

/**
 * An API of the policy. `key`: its index in the policy, or a new number; it identifies the row because ids can be
 * edited.
 */
interface Row {
  readonly key: number;
  readonly api: string;
  readonly right: Right;
}

/** The initial values of the form. */
const first: Policy = { name: "", rate: 100, per: 60 };

/** A form for a policy. Fields that the form does not have stay unchanged. */
export function PolicyForm(options: {
  /** Absent for a new policy. */
  readonly policy?: Policy;
  /** The APIs that the gateway serves. */
  readonly apis: readonly GrantableApi[];
  readonly save: (policy: object) => Promise<void>;
  readonly close: () => void;
}) {
  const { policy = first, apis, save, close } = options;
  return (
    <RecordForm
      record={policy}
      name="policy"
      label={t("policies.json")}
      read={policyIn}
      save={save}
      close={close}
    >
      {(shown) => (
        <>
          <Limits policy={shown} />
          <Rights policy={shown} apis={apis} />
        </>
      )}
    </RecordForm>
  );
}

/** The APIs of the policy. */
function Rights({ policy, apis }: { readonly policy: Policy; readonly apis: readonly GrantableApi[] }) {
  const [rows, setRows] = useState(() => shownRows(policy));
  return (
    <>
      {rows.map((row, index) => (
        <RightFields
          key={row.key}
          row={row}
          number={index + 1}
          apis={apis}
          remove={() => setRows(rows.filter((each) => each !== row))}
        />
      ))}
      <div class="tools">
        <button type="button" class="small" onClick={() => setRows([...rows, emptyRow(rows)])}>
          {t("policies.addApi")}
        </button>
      </div>
    </>
  );
}

/** The fields of the policy itself. */
function Limits({ policy }: { readonly policy: Policy }) {
  const { rate = 0, per = 60, quota_max: quota = -1, quota_renewal_rate: renewal = 0 } = policy;
  const { key_expires_in: expiry = 0, max_connections: connections = 0 } = policy;
  return (
    <>
      <TextField label={t("word.name")} name="name" value={policy.name} isRequired />
      <div class="beside-each-other">
        <TextField
          label={t("policies.requests")}
          name="rate"
          type="number"
          value={textOf(rate)}
          note={t("policies.requestsNote")}
        />
        <TimeField label={t("policies.per")} name="per" seconds={per || 60} isRequired />
        <TextField
          label={t("policies.quota")}
          name="quota_max"
          type="number"
          value={quota < 0 ? "" : String(quota)}
          note={t("policies.quotaNote")}
        />
        <TimeField
          label={t("policies.renewal")}
          name="quota_renewal_rate"
          {...(renewal > 0 && { seconds: renewal })}
          note={t("policies.renewalNote")}
        />
        <TimeField
          label={t("policies.expiry")}
          name="key_expires_in"
          {...(expiry > 0 && { seconds: expiry })}
          note={t("policies.expiryNote")}
        />
        <TextField
          label={t("policies.connections")}
          name="max_connections"
          type="number"
          value={textOf(connections)}
          note={t("policies.connectionsNote")}
        />
      </div>
    </>
  );
}

/** The fields for one API of the policy. */
function RightFields(options: {
  readonly row: Row;
  readonly number: number;
  readonly apis: readonly GrantableApi[];
  readonly remove: () => void;
}) {
  const { row, number, apis, remove } = options;
  const { key, api, right } = row;
  const { versions = [], allowed_urls: paths = [] } = right;
  return (
    <fieldset class="part">
      <legend>{t("policies.api", { number })}</legend>
      <TextField
        label={t("policies.apiId")}
        name={`api-${key}`}
        value={api}
        offered={apis.map(({ id, name }) => [id, name])}
        isRequired
      />
      {isWritable(right.versions) ? (
        <TextField
          label={t("policies.versions")}
          name={`versions-${key}`}
          value={versions.join(", ")}
          note={t("policies.versionsNote")}
        />
      ) : (
        <p class="note">{t("policies.noVersion")}</p>
      )}
      {hasWritablePaths(right) ? (
        <LongField
          label={t("policies.paths")}
          name={`paths-${key}`}
          value={paths.map(lineOf).join("\n")}
          rows={3}
          note={t("policies.pathsNote", { sample: "GET,HEAD ^/orders" })}
        />
      ) : (
        <p class="note">{t("policies.noPath")}</p>
      )}
      <div class="tools">
        <button type="button" class="small" onClick={remove}>
          {t("policies.removeApi", { number })}
        </button>
      </div>
    </fieldset>
  );
}

function textOf(number: number): string {
  return number > 0 ? String(number) : "";
}

function rowsOf({ access_rights: rights = {} }: Policy): readonly Row[] {
  return Object.entries(rights).map(([api, right], key) => ({ key, api, right }));
}

function shownRows(policy: Policy): readonly Row[] {
  const rows = rowsOf(policy);
  return rows.length === 0 ? [emptyRow([])] : rows;
}

/** Returns the rows in the form, based on the previous policy. */
function writtenRows(data: FormData, before: Policy): readonly Row[] {
  const known = rowsOf(before);
  return [...data].flatMap(([name, value]): readonly Row[] => {
    const [, key] = /^api-(\d+)$/.exec(name) ?? [];
    if (key === undefined) return [];
    const { right = {} } = known[Number(key)] ?? {};
    return [{ key: Number(key), api: String(value).trim(), right }];
  });
}

function emptyRow(rows: readonly Row[]): Row {
  return { key: Math.max(-1, ...rows.map(({ key }) => key)) + 1, api: "", right: {} };
}

/** Whether the form can represent a list: an empty list allows nothing, but an empty field allows everything. */
function isWritable(list: readonly unknown[] | undefined): boolean {
  return list?.length !== 0;
}

function hasWritablePaths({ allowed_urls: paths }: Right): boolean {
  return isWritable(paths) && paths?.every(({ methods }) => isWritable(methods)) !== false;
}

function lineOf({ url, methods }: NonNullable<Right["allowed_urls"]>[number]): string {
  return methods === undefined ? url : `${methods.join(",")} ${url}`;
}

/** Parses a line: optional methods, followed by the path. */
function pathIn(line: string): NonNullable<Right["allowed_urls"]>[number] {
  const [, methods, url] = /^([A-Z]+(?:,[A-Z]+)*)\s+(\S.*)$/.exec(line) ?? [];
  return methods === undefined || url === undefined ? { url: line } : { url, methods: methods.split(",") };
}

function refuseRepeated(rows: readonly Row[]): void {
  const seen = new Set<string>();
  for (const { key, api } of rows) {
    if (seen.has(api)) throw new FieldError(`api-${key}`, t("policies.repeated"));
    seen.add(api);
  }
}

const limits = new Set([
  "rate",
  "per",
  "quota_max",
  "quota_renewal_rate",
  "key_expires_in",
  "max_connections",
]);

/** Returns the policy in the form. Limits without a value are omitted. */
function policyIn(data: FormData, before: Policy): Policy {
  const rows = writtenRows(data, before);
  refuseRepeated(rows);
  const rest = Object.entries(before).filter(([name]) => !limits.has(name));
  const number = numberIn.bind(undefined, data);
  const seconds = secondsIn.bind(undefined, data);
  const [rate, quota, connections] = [number("rate"), number("quota_max"), number("max_connections")];
  const [per, renewal, expiry] = [seconds("per"), seconds("quota_renewal_rate"), seconds("key_expires_in")];
  const rights = rows.flatMap((row): readonly (readonly [string, Right])[] => {
    return row.api === "" ? [] : [[row.api, rightIn(data, row)]];
  });
  return {
    ...Object.fromEntries(rest),
    name: String(data.get("name") ?? ""),
    ...(rate !== undefined && { rate, ...(per !== undefined && { per }) }),
    ...(quota !== undefined && {
      quota_max: quota,
      ...(renewal !== undefined && { quota_renewal_rate: renewal }),
    }),
    ...(expiry !== undefined && { key_expires_in: expiry }),
    ...(connections !== undefined && { max_connections: connections }),
    access_rights: Object.fromEntries(rights),
  };
}

function rightIn(data: FormData, { key, right, api }: Row): Right {
  const { versions: _, allowed_urls: __, ...rest } = right;
  const written = (name: string, separator: RegExp) =>
    String(data.get(`${name}-${key}`) ?? "")
      .split(separator)
      .map((each) => each.trim())
      .filter(Boolean);
  const versions = isWritable(right.versions) ? written("versions", /,/) : undefined;
  const paths = hasWritablePaths(right) ? written("paths", /\n/).map(pathIn) : undefined;
  const kept = (name: "versions" | "allowed_urls") => right[name] !== undefined && { [name]: right[name] };
  return {
    ...rest,
    api_id: api,
    ...(versions === undefined ? kept("versions") : versions.length > 0 && { versions }),
    ...(paths === undefined ? kept("allowed_urls") : paths.length > 0 && { allowed_urls: paths }),
  };
}
