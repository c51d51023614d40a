/** Opens dialogs from URLs such as `#/tokens?new=token`, which links and the command palette use. */
import { useEffect } from 'react'
import { useFilters } from '../../lib/address.ts'
import { useMe } from '../../lib/rights.ts'

/**
 * Opens the dialog given by `?new=` once and removes the parameter, so that neither a reload nor the back
 * button opens it again. This never changes data. Users without permission see the page, where the button
 * explains which permission is missing.
 */
export function useDialogParam<Kind extends string>(
  rights: Readonly<Record<Kind, string>>,
  open: (kind: Kind) => void,
): void {
  const [{ new: requested }, change] = useFilters()
  const { scopes } = useMe()
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once each time the parameter appears in the URL.
  useEffect(() => {
    if (requested === undefined || !Object.hasOwn(rights, requested)) return
    change({ new: undefined })
    const kind = requested as Kind
    if (scopes.includes(rights[kind])) open(kind)
  }, [requested])
}
