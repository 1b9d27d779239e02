// Publishes an API to the catalogue of the portal.

import { openDialog } from "../kit/dialogs.tsx";
import { CheckField, Form, TextField } from "../kit/forms.tsx";
import { say } from "../kit/toasts.tsx";
import { askServiceFor } from "./service.ts";

/** The response of the service; it contains a warning if the policy is unknown. */
interface Published {
  readonly Errors?: readonly { readonly hint: string }[];
}

/** Asks for the catalogue entry of an API, and publishes it. */
export async function publish(id: string): Promise<void> {
  await openDialog("Publish to the portal", (close) => (
    <Form
      id="offer"
      submit="Publish"
      send={async ({ name, policy_id: policy, short_description: description }, all) => {
        const offer = {
          policy_id: policy,
          ...(name !== "" && { name }),
          show: all.has("show"),
          ...(description !== "" && { short_description: description }),
        };
        const { Errors: [warning] = [] } = await askServiceFor<Published>(
          "POST",
          `/apis/streams/${encodeURIComponent(id)}/publish`,
          { body: JSON.stringify(offer) },
        );
        if (warning === undefined) say("Published in the catalogue of the portal.");
        else say(`Published, but the portal stores no policy “${policy}”. ${warning.hint}`);
      }}
      close={close}
    >
      <TextField label="Name (default: the name of the API)" name="name" />
      <TextField label="Policy that grants access" name="policy_id" isRequired />
      <TextField label="Short description" name="short_description" />
      <CheckField label="Shown in the catalogue" name="show" isOn />
    </Form>
  ));
}
