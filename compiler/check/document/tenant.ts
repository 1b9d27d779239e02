// The access of a document to the machine of the gateway, if several organisations share the gateways.

import type { Report } from "../../diagnostics/sink.ts";
import type { Span } from "../../source/source.ts";

/** The organisation that a document belongs to, and the data that its documents may read. */
export interface Tenant {
  readonly organisation: string;
  /** Names of environment variables; a name that ends with `*` allows every variable with that prefix. */
  readonly variables: readonly string[];
  /** Absolute paths of files; a path that ends with `/` allows every file below it. */
  readonly files: readonly string[];
  /**
   * Prefixes for names that brokers share: consumer groups, queues, client ids. Absent: any prefix except those below.
   */
  readonly groups?: readonly string[];
  /** Prefixes for such names that belong to other organisations. */
  readonly groupsOfOthers?: readonly string[];
}

/** Whether a variable configures the gateway itself: it contains credentials that no document may read. */
export function isGatewayVariable(name: string): boolean {
  return /^GW_/i.test(name);
}

/** Whether the documents of an organisation may read a variable. The system ends names at NUL and `=`. */
function mayReadVariable({ variables }: Tenant, name: string): boolean {
  if (name.includes("\0") || name.includes("=")) return false;
  return variables.some((allowed) =>
    allowed.endsWith("*") ? name.startsWith(allowed.slice(0, -1)) : name === allowed,
  );
}

/** Whether the documents of an organisation may read a file. A relative path or one with `..` is never allowed. */
function mayReadFile({ files }: Tenant, path: string): boolean {
  const segments = path.split("/").slice(1);
  // A comma would separate it from a second path.
  const isPlain =
    /^\/[^,]*$/.test(path) && segments.every((each) => each !== "" && each !== "." && each !== "..");
  return (
    isPlain && files.some((allowed) => (allowed.endsWith("/") ? path.startsWith(allowed) : path === allowed))
  );
}

/** Reports a variable that a document may not read. Returns whether it may. */
export function checkVariable(name: string, span: Span, tenant: Tenant | undefined, report: Report): boolean {
  if (isGatewayVariable(name)) report("GW4330", span, { name });
  else if (tenant !== undefined && !mayReadVariable(tenant, name))
    report("GW4331", span, { name, organisation: tenant.organisation });
  else return true;
  return false;
}

/** Reports a file that the documents of an organisation may not read or write. Returns whether they may. */
export function checkFile(path: string, span: Span, tenant: Tenant, report: Report): boolean {
  if (mayReadFile(tenant, path)) return true;
  report("GW4332", span, { path, organisation: tenant.organisation });
  return false;
}
