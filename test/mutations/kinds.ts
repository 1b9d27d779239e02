import { access } from "./kinds/access.ts";
import { analytics } from "./kinds/analytics.ts";
import { calls } from "./kinds/calls.ts";
import { components } from "./kinds/components.ts";
import { edge } from "./kinds/edge.ts";
import { openapi } from "./kinds/openapi.ts";
import { portal } from "./kinds/portal.ts";
import { scripts } from "./kinds/scripts.ts";
import { streams } from "./kinds/streams.ts";
import { syntax } from "./kinds/syntax.ts";
import { types } from "./kinds/types.ts";
import { validation } from "./kinds/validation.ts";
import { values } from "./kinds/values.ts";
import type { Kind } from "./mutation.ts";

/** Every kind of mistake, from the text of a document to the meaning of its mappings. */
export const kinds: readonly Kind[] = [
  ...syntax,
  ...openapi,
  ...components,
  ...values,
  ...streams,
  ...scripts,
  ...calls,
  ...types,
  ...access,
  ...edge,
  ...portal,
  ...analytics,
  ...validation,
];
