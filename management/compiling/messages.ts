// What the service and its compiling thread say to each other.

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

/** Another API of the set; its text is left out where the thread has it. */
export interface PresentText {
  readonly id: string;
  readonly path: string;
  /** Hex SHA-256 of the text. */
  readonly digest: string;
  readonly text?: string;
}

/** Whose a definition is, and what stands beside it. */
export interface Surroundings {
  readonly tenant: Tenant;
  /** The other APIs of the organisation. */
  readonly present: readonly PresentText[];
  /** APIs of other organisations: looked at for where they are found, and for nothing else. */
  readonly elsewhere: readonly PresentText[];
  /** What the settings assign. */
  readonly assigned: AssignedPlaces;
}

/** What the thread is asked. */
export type Job =
  | (Surroundings & {
      readonly kind: "definition";
      /** The id it has unless it names one. */
      readonly id: string;
      readonly format: "json" | "yaml";
      readonly text: string;
    })
  | { readonly kind: "process" }
  /** What clients see of a definition that is right. */
  | (Surroundings & {
      readonly kind: "description";
      readonly id: string;
      readonly format: "json" | "yaml";
      readonly text: string;
      /** Addresses at which they reach the gateway; those of the definition where there are none. */
      readonly servers: readonly string[];
    })
  /** The pictures of a definition's streams. */
  | {
      readonly kind: "drawing";
      readonly format: "json" | "yaml";
      readonly text: string;
    };

/** A module and what it requires. */
export interface CompiledModule {
  readonly code: string;
  readonly imports: readonly string[];
}

/** What came of a job. */
export interface Compiled {
  /** Texts that the thread has not: it is to be asked again with them. */
  readonly missing: readonly string[];
  readonly facts?: DefinitionFacts;
  readonly diagnostics: readonly DefinitionDiagnostic[];
  readonly isRefused: boolean;
  /** Whether the place of a `definition` belongs to another organisation. */
  readonly isPlaceTaken?: boolean;
  readonly unit?: DefinitionUnit;
  /** Present with `unit`. */
  readonly routes?: readonly CalledRoute[];
  /** Of a `process` job. */
  readonly process?: CompiledModule;
  /** Of a `description` job; absent where the definition is not right. */
  readonly description?: AsyncApiDocument;
  /** Of a `drawing` job. */
  readonly drawings?: readonly Drawing[];
}

/** What the thread is started with. */
export interface WorkerSettings {
  /** The `gateway.yaml` of the gateways. */
  readonly settings?: SettingsText;
  /** Bytes of a definition. */
  readonly maximumBytes: number;
}

export interface Asked {
  readonly number: number;
  readonly job: Job;
}

export type Answered =
  | { readonly number: number; readonly compiled: Compiled }
  /** A broken compiler: the text of the error, for the log. */
  | { readonly number: number; readonly failure: string };
