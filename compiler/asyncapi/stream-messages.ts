// What the components of one stream take and give, as messages of the document.

import type { CheckedSet } from "../check/checked-set.ts";
import type { ApiModel } from "../model/api.ts";
import { planDeclared, planMessageSteps } from "../plan/message-steps.ts";
import type { ComponentNode, StreamNode } from "../trees/api.ts";
import type { AsyncApiReference } from "./document.ts";
import type { Messages } from "./messages.ts";

/** A message by its key in `components.messages`. */
export interface StreamMessage {
  readonly key: string;
  readonly reference: AsyncApiReference;
}

/** The message of an input or output; each is added to `messages` when first asked for. */
export function createStreamMessages(
  stream: StreamNode,
  api: ApiModel,
  checked: CheckedSet,
  messages: Messages,
): (component: ComponentNode) => StreamMessage {
  const declared = checked.declared(stream);
  const steps = planMessageSteps({ api, steps: checked.namedSteps(stream), declared });
  const ends: readonly (ComponentNode | undefined)[] = [stream.input, stream.output, stream.deadLetter];
  const added = new Map<unknown, StreamMessage>();
  return (component) => {
    const name =
      component === stream.deadLetter ? "dead letter" : component.role === "input" ? "input" : "output";
    const own = planDeclared(component, declared, api);
    // Of dead letters nothing is known: any step may have failed.
    const schema = own?.schema ?? steps.find((step) => step.name === name)?.schema ?? true;
    // What a part of an input or output declares is a message beside those of the whole.
    const identity = own === undefined || ends.includes(component) ? name : component;
    const message = added.get(identity) ?? messages.add(`${stream.name} ${titles[name]}`, schema);
    added.set(identity, message);
    return message;
  };
}

const titles = { input: "taken", output: "given", "dead letter": "refused" } as const;
