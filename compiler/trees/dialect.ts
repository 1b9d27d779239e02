// What documents may use: the components and builtins of this package, and those of packages that a set names.

import { type ComponentCatalogue, coreCatalogue } from "../../schemas/catalogue.ts";
import type { Role } from "../../schemas/component.ts";
import { type BuiltinCatalogue, coreBuiltins } from "../builtins/catalogue.ts";
import type { Report } from "../diagnostics/sink.ts";
import type { Span } from "../source/source.ts";
import type { MapEntry } from "./document.ts";

/** A package that contributes to a dialect. */
export interface ComponentPackage {
  /** Its name, by which emitted code imports its modules. */
  readonly name: string;
  /** The folder that holds its `package.json`, absolute and without symbolic links. */
  readonly folder: string;
}

/** A package as `components` of a `gateway.yaml` names it. */
export interface NamedPackage {
  /** A package name, or a path relative to the file: `@acme/sluice-redis-streams`, `./components/own`. */
  readonly name: string;
  readonly span: Span;
}

/** A component that stands for a configuration of others. */
export interface ComponentTemplate {
  readonly role: Role;
  readonly name: string;
  /** Where it has its name. */
  readonly nameSpan: Span;
  /** The JSON of the configuration that it makes of its fields; `undefined` after a report of why there is none. */
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
