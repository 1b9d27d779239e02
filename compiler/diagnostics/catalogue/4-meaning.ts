// Document meaning: components, fields, names, routes.

import { componentEntries } from "./4-components.ts";
import { fieldEntries } from "./4-fields.ts";
import { ruleEntries } from "./4-rules.ts";

export const meaningEntries = { ...componentEntries, ...fieldEntries, ...ruleEntries };
