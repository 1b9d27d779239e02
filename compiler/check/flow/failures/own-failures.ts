// What processors fail on themselves, whatever their scripts do.

import { descriptorOf } from "../../../../schemas/component.ts";
import type { ComponentNode } from "../../../trees/api.ts";
import { writtenOptions } from "../../document/written-options.ts";
import type { StreamFailure } from "./stream-failure.ts";

/** What a processor can fail on, apart from its scripts and inner processors. */
export function ownFailures(component: ComponentNode): readonly StreamFailure[] {
  const mayFail = descriptorOf("processor", component)?.mayFail;
  const reason = typeof mayFail === "function" ? mayFail(writtenOptions(component.config)) : mayFail;
  return reason === undefined ? [] : [{ component, span: component.nameSpan, reason }];
}
