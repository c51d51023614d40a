/** Chooses the visible columns and the density of a table; the choice is stored in the browser. */
import { useState } from 'react'
import { text } from '../../messages/text.ts'
import { Menu, MenuCheck, MenuLine } from '../overlays/menu.tsx'
import type { Column } from './types.ts'

/** All tables share one density. */
const COMPACT = 'tables.compact'

/** `name` identifies the table in local storage; `hidden` lists the columns hidden by default. */
export function useColumns<Row>(
  name: string,
  columns: readonly Column<Row>[],
  hidden: readonly string[] = [],
) {
  const [off, setOff] = useStored<readonly string[]>(`columns.${name}`, hidden, Array.isArray)
  const [isCompact, setIsCompact] = useStored<boolean>(COMPACT, false, (value) => typeof value === 'boolean')
  const change = (id: string, isShown: boolean) =>
    setOff(isShown ? off.filter((each) => each !== id) : [...off, id])
  const menu = (
    <Menu label={text.frame.columns} button={<ColumnsIcon />}>
      <MenuCheck isChecked={isCompact} onChange={setIsCompact}>
        {text.frame.compactRows}
      </MenuCheck>
      <MenuLine />
      {columns
        .filter(({ isMain }) => !isMain)
        .map(({ id, title }) => (
          <MenuCheck key={id} isChecked={!off.includes(id)} onChange={(isShown) => change(id, isShown)}>
            {title}
          </MenuCheck>
        ))}
    </Menu>
  )
  return { columns: columns.filter(({ id }) => !off.includes(id)), menu, isCompact, off, setOff }
}

function ColumnsIcon() {
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true">
      <path d="M2 3h12v10H2zM6 3v10M10 3v10" />
    </svg>
  )
}

function useStored<Value>(name: string, first: Value, isValid: (value: unknown) => boolean) {
  const [value, setValue] = useState<Value>(() => read(name, isValid) ?? first)
  const change = (next: Value) => {
    localStorage.setItem(name, JSON.stringify(next))
    setValue(next)
  }
  return [value, change] as const
}

function read<Value>(name: string, isValid: (value: unknown) => boolean): Value | undefined {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(name) ?? 'null')
    return isValid(value) ? (value as Value) : undefined
  } catch {
    return undefined
  }
}
