/** Dialogs that an address opens, such as `#/tokens?new=token`: the search and links lead to them. */
import { useEffect } from 'react'
import { useFilters } from '../../lib/address.ts'
import { useMe } from '../../lib/rights.ts'

/**
 * Opens what stands behind `?new=`, once: the address forgets it, so that neither a reload nor the way back brings it again.
 * It is never a change by itself. People without its right see the page, where the button says why.
 */
export function useDialogParam<Kind extends string>(
  rights: Readonly<Record<Kind, string>>,
  open: (kind: Kind) => void,
): void {
  const [{ new: requested }, change] = useFilters()
  const { scopes } = useMe()
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each time that it stands in the address.
  useEffect(() => {
    if (requested === undefined || !Object.hasOwn(rights, requested)) return
    change({ new: undefined })
    const kind = requested as Kind
    if (scopes.includes(rights[kind])) open(kind)
  }, [requested])
}
