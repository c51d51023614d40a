/** One line of the search: choosing it closes the search and opens an address. */
import { Command } from 'cmdk'
import type { ReactNode } from 'react'
import { useOpen } from '../lib/address.ts'

export type Closing = { readonly onClose: () => void }

type Props = Closing & {
  /** What is typed is compared with it; unlike all others. */
  readonly id: string
  readonly address: string
  /** Why one may not. */
  readonly refusal?: string | undefined
  readonly children: ReactNode
}

export function Item({ id, address, refusal, onClose, children }: Props) {
  const open = useOpen()
  const choose = () => {
    onClose()
    open(address)
  }
  return (
    <Command.Item value={id} disabled={refusal !== undefined} onSelect={choose}>
      {children}
      {refusal !== undefined && <span className="hint">{refusal}</span>}
    </Command.Item>
  )
}
