/**
 * A client-side search for lists that the API cannot search. It loads all remaining pages before it reports
 * that there are no results.
 */
import { useEffect, useId, useState } from 'react'
import styles from './filter-bar.module.css'

type More = { readonly isLoading: boolean; readonly load: () => void } | undefined

export function useLoadedSearch<Row>(rows: readonly Row[], more: More, textOf: (row: Row) => string) {
  const [sought, setSought] = useState('')
  const words = sought.trim().toLocaleLowerCase()
  const found = words === '' ? rows : rows.filter((row) => textOf(row).toLocaleLowerCase().includes(words))
  useEffect(() => {
    if (words !== '' && more && !more.isLoading) more.load()
  }, [words, more])
  return { sought, setSought, found, isNothing: found.length === 0 && !more }
}

type Props = { readonly title: string; readonly value: string; readonly onChange: (sought: string) => void }

export function LoadedSearch({ title, value, onChange }: Props) {
  const id = useId()
  return (
    <search className={styles.search}>
      <label htmlFor={id} className="unseen-text">
        {title}
      </label>
      <input
        id={id}
        type="search"
        autoComplete="off"
        spellCheck={false}
        placeholder={title}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </search>
  )
}
