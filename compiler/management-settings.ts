// Reads the values of a `management.yaml` and reports its problems at their places. No value is read from the
// environment.

import { checkManagement } from "./check/document/check-management.ts";
import type { CheckOptions } from "./compile.ts";
import { InternalError } from "./diagnostics/invariant.ts";
import { applyLevels, type Leveled } from "./diagnostics/levels.ts";
import { createSink, type Report } from "./diagnostics/sink.ts";
import { nodeFileSystem } from "./parse/document/file-system.ts";
import { maximumBytes } from "./parse/document/limits.ts";
import { createLibrary } from "./parse/references/library.ts";
import { readManagement } from "./parse/streams/read-settings.ts";
import type { SourceFile } from "./source/source.ts";
import type { FieldNode } from "./trees/api.ts";
import { type DocumentNode, describeNode } from "./trees/document.ts";
import { plainValueOf } from "./trees/fields.ts";

/** The content of a `management.yaml`; durations in milliseconds. */
export interface ManagementSettings {
  readonly streaming?: { readonly enabled?: boolean };
  /** `host:port`, or an object to configure TLS. File names are relative to the settings. */
  readonly listen?:
    | string
    | {
        readonly address?: string;
        readonly tls?: {
          readonly cert_file: string;
          readonly key_file: string;
          readonly client_ca_file?: string;
          readonly min_version?: "1.2" | "1.3";
        };
      };
  /** `sqlite:PATH` or `postgres://…` */
  readonly store?: string;
  readonly organisation?: string;
  /** The path of a `gateway.yaml`, relative to the file. */
  readonly gateway?: string;
  /** By organisation: the variables and files that its definitions may read, and the places that belong to it. */
  readonly organisations?: Readonly<
    Record<
      string,
      {
        readonly variables?: readonly string[];
        readonly files?: readonly string[];
        readonly hosts?: readonly string[];
        readonly paths?: readonly string[];
        readonly consumer_groups?: readonly string[];
      }
    >
  >;
  /** How users sign in at the page. The client secret is in the environment. */
  readonly single_sign_on?: {
    readonly issuer: string;
    readonly client_id: string;
    readonly url: string;
    readonly name?: string;
    readonly scopes?: readonly string[];
    readonly claim?: string;
    readonly session?: number;
    readonly keys?: boolean;
    readonly roles: readonly {
      readonly value: string;
      readonly permissions?: readonly ("read" | "write" | "users")[];
      /** The permissions of a user for certain APIs only. */
      readonly apis?: readonly {
        readonly api: string;
        readonly by?: "id" | "name";
        readonly permissions: readonly ("read" | "write")[];
      }[];
      readonly organisation?: string;
    }[];
  };
  readonly tail?: { readonly enabled?: boolean; readonly redact?: readonly string[] };
  readonly limits?: {
    readonly max_body_bytes?: number;
    readonly max_bytes_in_flight?: number;
    readonly check_timeout?: number;
  };
}

/** The settings and the diagnostics. */
export interface ManagementResult extends Leveled {
  /** Absent if there are errors. */
  readonly settings?: ManagementSettings;
}

/** Reads the `management.yaml` at `path`. */
export async function readManagementSettings(
  path: string,
  { fileSystem = nodeFileSystem, maximumBytes: limit = maximumBytes }: CheckOptions = {},
): Promise<ManagementResult> {
  const { report, reported } = createSink();
  const loaded = await createLibrary({ fileSystem, report, limit }).load(path);
  const settings = loaded && readRoot(loaded.root, loaded.file, report);
  const leveled = applyLevels(reported(), new Map(), []);
  if (leveled.counts.error > 0 || settings === undefined) return leveled;
  // The schema has validated the value.
  return { ...leveled, settings: plainValueOf(settings, rejectComputed) as ManagementSettings };
}

function readRoot(root: DocumentNode, file: SourceFile, report: Report): FieldNode | undefined {
  if (root.kind !== "map") {
    report("GW1054", root.span, { actual: describeNode(root), first: "listen: 0.0.0.0:8090" });
    return undefined;
  }
  const fields = readManagement(root, report);
  checkManagement({ file, root, fields }, report);
  return fields;
}

/** For a field that is a script or a reference to the environment: these settings have none. */
function rejectComputed({ kind }: FieldNode): never {
  throw new InternalError(`management.yaml holds a ${kind}`);
}
