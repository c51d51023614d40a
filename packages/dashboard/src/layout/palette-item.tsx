/** An entry in the palette. Choosing it closes the palette and opens a URL. */
import { Command } from 'cmdk'
import type { ReactNode } from 'react'
import { useOpen } from '../lib/address.ts'

export type Closing = { readonly onClose: () => void }

type Props = Closing & {
  /** Unique ID of the entry. The typed text is matched against it. */
  readonly id: string
  readonly address: string
  /** Synonyms that also find the entry. */
  readonly otherNames?: readonly string[] | undefined
  /** Why the entry is disabled; undefined if it is enabled. */
  readonly refusal?: string | undefined
  readonly children: ReactNode
}

export function Item({ id, address, otherNames = [], refusal, onClose, children }: Props) {
  const open = useOpen()
  const choose = () => {
    onClose()
    open(address)
  }
  return (
    <Command.Item value={id} keywords={[...otherNames]} disabled={refusal !== undefined} onSelect={choose}>
      {children}
      {refusal !== undefined && <span className="hint">{refusal}</span>}
    </Command.Item>
  )
}
