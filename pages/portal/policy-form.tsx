// A policy as a form, and as the JSON that has all of it.

import { useState } from "preact/hooks";
import type { Policy } from "../../runtime/portal/generated/policy.ts";
import type { GrantableApi } from "../../runtime/portal/policies/named-in-policies.ts";
import {
  FieldError,
  Form,
  LongField,
  numberIn,
  objectIn,
  secondsIn,
  TextField,
  TimeField,
} from "../kit/forms.tsx";
import { t } from "./messages.ts";

type Right = NonNullable<Policy["access_rights"]>[string];

/** An API of the policy; `key` tells rows apart, as ids may be written anew. */
interface Row {
  readonly key: number;
  readonly api: string;
  readonly right: Right;
}

/** What the form begins with. */
const first: Policy = { name: "", rate: 100, per: 60 };

/** Asks for a policy; what the form has no field for stays as it is. */
export function PolicyForm(options: {
  /** Absent for a new one. */
  readonly policy?: Policy;
  /** Those that the gateway serves. */
  readonly apis: readonly GrantableApi[];
  readonly save: (policy: object) => Promise<void>;
  readonly close: () => void;
}) {
  const { apis, save, close } = options;
  const [policy, setPolicy] = useState(options.policy ?? first);
  const [rows, setRows] = useState(() => rowsOf(policy));
  const [isJson, setJson] = useState(false);
  const addRow = () => setRows([...rows, emptyRow(rows)]);
  const showJson = (form: HTMLFormElement) => {
    setPolicy(policyIn(new FormData(form), policy, rows));
    setJson(true);
  };
  const showForm = (form: HTMLFormElement) => {
    let written: Policy;
    try {
      written = objectIn("policy", String(new FormData(form).get("policy"))) as Policy;
    } catch {
      // Sending it says at the field what is wrong with it.
      form.requestSubmit();
      return;
    }
    setPolicy(written);
    setRows(rowsOf(written));
    setJson(false);
  };
  return (
    <Form
      submit={t("word.save")}
      send={({ policy: text = "" }, all) => {
        if (isJson) return save(objectIn("policy", text));
        refuseRepeated(all, rows);
        return save(policyIn(all, policy, rows));
      }}
      close={close}
      beside={
        <button
          type="button"
          onClick={({ currentTarget: { form } }) => form && (isJson ? showForm(form) : showJson(form))}
        >
          {t(isJson ? "policies.asForm" : "policies.asJson")}
        </button>
      }
    >
      {isJson ? (
        <LongField
          key="json"
          label={t("policies.json")}
          name="policy"
          value={JSON.stringify(policy, undefined, 2)}
          rows={18}
          isRequired
        />
      ) : (
        <>
          <Limits policy={policy} />
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
            <button type="button" class="small" onClick={addRow}>
              {t("policies.addApi")}
            </button>
          </div>
        </>
      )}
    </Form>
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

/** The fields of one API of it. */
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
  const rows = Object.entries(rights).map(([api, right], key) => ({ key, api, right }));
  return rows.length === 0 ? [emptyRow([])] : rows;
}

function emptyRow(rows: readonly Row[]): Row {
  return { key: Math.max(-1, ...rows.map(({ key }) => key)) + 1, api: "", right: {} };
}

/** An empty list allows nothing, an empty field all: the form has no words for the former. */
function isWritable(list: readonly unknown[] | undefined): boolean {
  return list?.length !== 0;
}

function hasWritablePaths({ allowed_urls: paths }: Right): boolean {
  return isWritable(paths) && paths?.every(({ methods }) => isWritable(methods)) !== false;
}

function lineOf({ url, methods }: NonNullable<Right["allowed_urls"]>[number]): string {
  return methods === undefined ? url : `${methods.join(",")} ${url}`;
}

/** The other way round: methods first, where there are some. */
function pathIn(line: string): NonNullable<Right["allowed_urls"]>[number] {
  const [, methods, url] = /^([A-Z]+(?:,[A-Z]+)*)\s+(\S.*)$/.exec(line) ?? [];
  return methods === undefined || url === undefined ? { url: line } : { url, methods: methods.split(",") };
}

function refuseRepeated(data: FormData, rows: readonly Row[]): void {
  const seen = new Set<string>();
  for (const { key } of rows) {
    const id = String(data.get(`api-${key}`)).trim();
    if (seen.has(id)) throw new FieldError(`api-${key}`, t("policies.repeated"));
    seen.add(id);
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

/** The policy that was written; limits without a value are left out. */
function policyIn(data: FormData, before: Policy, rows: readonly Row[]): Policy {
  const rest = Object.entries(before).filter(([name]) => !limits.has(name));
  const number = numberIn.bind(undefined, data);
  const seconds = secondsIn.bind(undefined, data);
  const [rate, quota, connections] = [number("rate"), number("quota_max"), number("max_connections")];
  const [per, renewal, expiry] = [seconds("per"), seconds("quota_renewal_rate"), seconds("key_expires_in")];
  const rights = rows.flatMap((row): readonly (readonly [string, Right])[] => {
    const api = String(data.get(`api-${row.key}`) ?? "").trim();
    return api === "" ? [] : [[api, rightIn(data, row, api)]];
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

function rightIn(data: FormData, { key, right }: Row, api: string): Right {
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
