// The components and builtins that documents may use: those of this package, and those of packages that a set names.

import { type ComponentCatalogue, coreCatalogue } from "../../schemas/catalogue.ts";
import type { ComponentRole } from "../../schemas/component.ts";
import { type BuiltinCatalogue, coreBuiltins } from "../builtins/catalogue.ts";
import type { Report } from "../diagnostics/sink.ts";
import type { Span } from "../source/source.ts";
import type { MapEntry } from "./document.ts";

/** A package that contributes to a dialect. */
export interface ComponentPackage {
  /** Its name, by which emitted code imports its modules. */
  readonly name: string;
  /** The folder that contains its `package.json`, as an absolute path without symbolic links. */
  readonly folder: string;
}

/** A package as `components` of a `gateway.yaml` names it. */
export interface NamedPackage {
  /** A package name, or a path relative to the file: `@acme/sluice-redis-streams`, `./components/own`. */
  readonly name: string;
  readonly span: Span;
}

/** A component that is replaced by a configuration of others. */
export interface ComponentTemplate {
  readonly role: ComponentRole;
  readonly name: string;
  /** The place where its name is written. */
  readonly nameSpan: Span;
  /** Returns the JSON of the configuration for its fields; `undefined` after a report of the reason. */
  readonly render: (use: MapEntry, report: Report) => string | undefined;
}

/** The components and builtins that the documents of one set may use. Each compilation has its own. */
export interface Dialect {
  readonly components: ComponentCatalogue;
  readonly builtins: BuiltinCatalogue;
  readonly packages: readonly ComponentPackage[];
  readonly templates: readonly ComponentTemplate[];
}

/** The dialect of documents whose set names no packages. */
export const coreDialect: Dialect = {
  components: coreCatalogue,
  builtins: coreBuiltins,
  packages: [],
  templates: [],
};
