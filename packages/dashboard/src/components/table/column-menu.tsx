/** Chooses the visible columns of a table; the choice is stored in the browser. */
import { useState } from 'react'
import { text } from '../../messages/text.ts'
import { Menu, MenuCheck } from '../overlays/menu.tsx'
import type { Column } from './table.tsx'

/** `name` identifies the table in local storage; `hidden` lists the columns hidden by default. */
export function useColumns<Row>(
  name: string,
  columns: readonly Column<Row>[],
  hidden: readonly string[] = [],
) {
  const stored = `columns.${name}`
  const [off, setOff] = useState<readonly string[]>(() => read(stored) ?? hidden)
  const change = (id: string, isShown: boolean) => {
    const next = isShown ? off.filter((each) => each !== id) : [...off, id]
    localStorage.setItem(stored, JSON.stringify(next))
    setOff(next)
  }
  const menu = (
    <Menu label={text.frame.columns} button={text.frame.columns}>
      {columns
        .filter(({ isMain }) => !isMain)
        .map(({ id, title }) => (
          <MenuCheck key={id} isChecked={!off.includes(id)} onChange={(isShown) => change(id, isShown)}>
            {title}
          </MenuCheck>
        ))}
    </Menu>
  )
  return { columns: columns.filter(({ id }) => !off.includes(id)), menu }
}

function read(name: string): readonly string[] | undefined {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(name) ?? 'null')
    return Array.isArray(value) ? value.map(String) : undefined
  } catch {
    return undefined
  }
}
