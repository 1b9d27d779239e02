// The messages between the service and its compiling thread.

import type {
  AsyncApiDocument,
  CalledRoute,
  DefinitionDiagnostic,
  DefinitionFacts,
  DefinitionUnit,
  SettingsText,
  Tenant,
} from "../../compiler/compile-definition.ts";
import type { Drawing } from "../drawing/drawing.ts";
import type { AssignedPlaces } from "../organisations/tenants.ts";

/** Another API of the set. Its text is omitted if the thread already has it. */
export interface PresentText {
  readonly id: string;
  readonly path: string;
  /** The hexadecimal SHA-256 digest of the text. */
  readonly digest: string;
  readonly text?: string;
}

/** The owner of a definition, and the APIs next to it. */
export interface Surroundings {
  readonly tenant: Tenant;
  /** The other APIs of the organisation. */
  readonly present: readonly PresentText[];
  /** APIs of other organisations. Only their routes matter. */
  readonly elsewhere: readonly PresentText[];
  /** The places that the settings assign. */
  readonly assigned: AssignedPlaces;
}

/** A job for the thread. */
export type Job =
  | (Surroundings & {
      readonly kind: "definition";
      /** The id of the API, unless the definition specifies one. */
      readonly id: string;
      readonly format: "json" | "yaml";
      readonly text: string;
    })
  | { readonly kind: "process" }
  /** Describes what clients see of a valid definition. */
  | (Surroundings & {
      readonly kind: "description";
      readonly id: string;
      readonly format: "json" | "yaml";
      readonly text: string;
      /** The URLs at which clients reach the gateway. If the list is empty, those of the definition. */
      readonly servers: readonly string[];
    })
  /** Draws the streams of a definition. */
  | {
      readonly kind: "drawing";
      readonly format: "json" | "yaml";
      readonly text: string;
    };

/** A module and its imports. */
export interface CompiledModule {
  readonly code: string;
  readonly imports: readonly string[];
}

/** The result of a job. */
export interface Compiled {
  /** Ids of the APIs whose texts the thread lacks. The job has to be sent again with these texts. */
  readonly missing: readonly string[];
  readonly facts?: DefinitionFacts;
  readonly diagnostics: readonly DefinitionDiagnostic[];
  readonly isRefused: boolean;
  /** Whether the routes of a `definition` belong to another organisation. */
  readonly isPlaceTaken?: boolean;
  readonly unit?: DefinitionUnit;
  /** Present if `unit` is. */
  readonly routes?: readonly CalledRoute[];
  /** The result of a `process` job. */
  readonly process?: CompiledModule;
  /** The result of a `description` job; absent if the definition is not valid. */
  readonly description?: AsyncApiDocument;
  /** The result of a `drawing` job. */
  readonly drawings?: readonly Drawing[];
}

/** The settings with which the thread starts. */
export interface WorkerSettings {
  /** The `gateway.yaml` of the gateways. */
  readonly settings?: SettingsText;
  /** The maximum size of a definition, in bytes. */
  readonly maximumBytes: number;
}

export interface NumberedJob {
  readonly number: number;
  readonly job: Job;
}

/** What the thread sends once it is loaded. Loading is not part of any job. */
export const ready = "ready";

export type JobResult =
  | { readonly number: number; readonly compiled: Compiled }
  /** The compiler crashed. `failure` is the text of the error, for the log. */
  | { readonly number: number; readonly failure: string };
