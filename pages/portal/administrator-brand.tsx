// The look of the portal, as administrators choose it.

import type { Branding } from "../../runtime/portal/generated/branding.ts";
import { Awaited, useAsked } from "../kit/asked.tsx";
import { CheckField, FileField, Form, LongField, TextField, type Values } from "../kit/forms.tsx";
import { Heading } from "../kit/parts.tsx";
import { say } from "../kit/toasts.tsx";
import { readDocument, saveDocument } from "./administrator-catalogue.tsx";
import { reloadBrand } from "./brand.tsx";

/** Bytes; the portal takes no more. */
const mostLogoBytes = 64 * 1024;

/** The view. */
export function BrandView() {
  const asked = useAsked(async () => ({ found: await readDocument<Branding>("/branding") }));
  return (
    <>
      <Heading title="Look">
        The name, the logo and the colours of this portal. The gateway serves all of it; nothing is loaded
        from elsewhere.
      </Heading>
      <Awaited asked={asked} name="the look">
        {({ found }) => <BrandForm found={found} refresh={asked.refresh} />}
      </Awaited>
    </>
  );
}

function BrandForm(options: { readonly found: Branding | undefined; readonly refresh: () => Promise<void> }) {
  const { found, refresh } = options;
  const { id: _, org_id: __, ...branding } = found ?? {};
  const { name, product, accent, accent_dark: dark, side, css, logo = "" } = branding;
  const send = async ({ logo: ___, remove, ...texts }: Values, all: FormData) => {
    const file = all.get("logo");
    const sent = file instanceof File && file.size > 0 ? await readLogo(file) : remove === "true" ? "" : logo;
    const entries = Object.entries({ ...texts, logo: sent }).filter(([, value]) => value.trim() !== "");
    await saveDocument("/branding", found, Object.fromEntries(entries));
    await refresh();
    await reloadBrand();
    say("Saved.");
  };
  return (
    <div class="card">
      <Form id="brand" submit="Save" keeps send={send}>
        <TextField label="Name" name="name" value={name ?? ""} hint="Developer portal" />
        <TextField
          label="What stands below it"
          name="product"
          value={product ?? ""}
          hint="APIs and streams"
        />
        <div class="columns">
          <TextField
            label="Colour by day"
            name="accent"
            value={accent ?? ""}
            hint="#0b6682"
            note={colourNote}
          />
          <TextField
            label="Colour by night"
            name="accent_dark"
            value={dark ?? ""}
            hint="#62c6de"
            note={colourNote}
          />
          <TextField
            label="Colour behind the navigation"
            name="side"
            value={side ?? ""}
            hint="#0e2a36"
            note="Dark enough for light letters."
          />
        </div>
        <FileField
          label="Logo"
          name="logo"
          accept="image/png,image/jpeg,image/webp"
          note={
            logo === "" ? "PNG, JPEG or WebP of 64 KiB at most." : "There is one; another file replaces it."
          }
        />
        {logo !== "" && <CheckField label="Remove the logo" name="remove" />}
        <LongField label="Rules of your own, as CSS" name="css" value={css ?? ""} rows={8} />
      </Form>
    </div>
  );
}

const colourNote = "Of links and buttons, as #rrggbb.";

/** A file in base64. */
async function readLogo(file: File): Promise<string> {
  if (file.size > mostLogoBytes) throw new Error("The logo has more than 64 KiB.");
  const bytes = new Uint8Array(await file.arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}
