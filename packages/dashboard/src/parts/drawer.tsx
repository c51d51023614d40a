/** A sheet at the side of the page, for one entry of a list. The list stays where it was. */
import type { ReactNode } from 'react'
import { Dialog } from './dialog.tsx'

export function Drawer(given: { title: string; onClose: () => void; children: ReactNode }) {
  return <Dialog {...given} isDrawer />
}
