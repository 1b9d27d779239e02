// The name, logo and style of the portal, as chosen by its administrators.

import { signal } from "@preact/signals";
import type { PageBrand } from "../../runtime/portal/page/shown-records.ts";
import { namePage } from "../kit/parts.tsx";
import { askFor } from "../kit/requests.ts";
import { Brand } from "../kit/shell.tsx";
import { t } from "./messages.ts";

const brand = signal<PageBrand>({ name: "", product: "", logo: "" });

/** Loads the brand. This works before logging in. */
export async function loadBrand(): Promise<void> {
  brand.value = await askFor<PageBrand>("GET", "entrance/brand");
  namePage(portalName());
}

/** Returns the name of the portal. */
export function portalName(): string {
  return brand.value.name || t("brand.name");
}

/** Shows a changed brand, including its style. */
export async function reloadBrand(): Promise<void> {
  await loadBrand();
  const link = document.querySelector<HTMLLinkElement>('link[href^="brand.css"]');
  if (link !== null) link.href = `brand.css?${Date.now()}`;
}

/** The top of the page. */
export function PortalBrand() {
  const { name, product, logo } = brand.value;
  return (
    <Brand
      name={portalName()}
      product={product || (name === "" ? t("brand.product") : "")}
      {...(logo !== "" && { mark: <img src={logo} alt="" /> })}
    />
  );
}
