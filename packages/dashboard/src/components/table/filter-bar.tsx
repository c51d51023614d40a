/** A list's filters, stored in the URL: a search field, then chips. */
import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { useFilters } from '../../lib/address.ts'
import { text } from '../../messages/text.ts'
import { Field } from '../fields/field.tsx'
import { SelectField } from '../fields/select-field.tsx'
import { Popover } from '../overlays/popover.tsx'
import styles from './filter-bar.module.css'

export type Filter = {
  /** Parameter name in the URL. */
  readonly name: string
  readonly title: string
  /** Available options; omit for text or date input. */
  readonly options?: readonly (readonly [value: string, title: string])[]
  readonly type?: 'text' | 'date'
  /** Whether the filter is offered only after a click on "More filters", unless it is set. */
  readonly isRare?: boolean
}

type Props = {
  readonly label: string
  readonly filters: readonly Filter[]
  /** URL parameter and label of the search. */
  readonly search?: { readonly name: string; readonly title: string }
  /** Content at the end of the bar, such as the number of rows or the column menu. */
  readonly children?: ReactNode
}

export function FilterBar({ label, filters, search, children }: Props) {
  const [given, change] = useFilters()
  const set = filters.filter(({ name }) => given[name] !== undefined)
  const unset = filters.filter(({ name }) => given[name] === undefined)
  const names = [...filters.map(({ name }) => name), ...(search ? [search.name] : [])]
  const isAny = names.some((name) => given[name] !== undefined)
  const [isUnfolded, setIsUnfolded] = useState(false)
  return (
    <search className={styles.bar} aria-label={label} data-unfolded={isUnfolded || undefined}>
      {search && <Search {...search} />}
      {unset.length > 0 && (
        <button
          type="button"
          className={styles.fold}
          aria-expanded={isUnfolded}
          onClick={() => setIsUnfolded(!isUnfolded)}
        >
          <span>{text.frame.filters(set.length)}</span>
        </button>
      )}
      {set.map((filter) => (
        <Chip key={filter.name} filter={filter} value={given[filter.name] ?? ''} />
      ))}
      {unset.map((filter) => (
        <Chip key={filter.name} filter={filter} value="" />
      ))}
      {unset.some(({ isRare }) => isRare) && (
        <button
          type="button"
          className={`quiet ${styles.rest}`}
          aria-expanded={isUnfolded}
          onClick={() => setIsUnfolded(!isUnfolded)}
        >
          {isUnfolded ? text.frame.fewerFilters : text.frame.moreFilters}
        </button>
      )}
      {isAny && (
        <button
          type="button"
          className="quiet"
          onClick={() => change(Object.fromEntries(names.map((name) => [name, undefined])))}
        >
          {text.frame.clearFilters}
        </button>
      )}
      <span className={styles.end}>{children}</span>
    </search>
  )
}

export function useIsFiltered(names: readonly string[]): boolean {
  const [given] = useFilters()
  return names.some((name) => given[name] !== undefined)
}

const PAUSE_MS = 250

function Search({ name, title }: { name: string; title: string }) {
  const [given, change] = useFilters()
  const id = useId()
  const inAddress = given[name] ?? ''
  const [typed, setTyped] = useState(inAddress)
  /** The latest search that came from the URL or was given to it. The URL follows a little later. */
  const known = useRef(inAddress)
  // biome-ignore lint/correctness/useExhaustiveDependencies: typed text updates the URL, but a new callback does not.
  useEffect(() => {
    const timer = setTimeout(() => {
      const search = typed.trim()
      if (search === known.current) return
      known.current = search
      change({ [name]: search })
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed])
  useEffect(() => {
    // Text typed while the URL was following must not be replaced by it.
    if (inAddress === known.current) return
    known.current = inAddress
    setTyped(inAddress)
  }, [inAddress])
  return (
    <span className={styles.search}>
      <label htmlFor={id} className="unseen-text">
        {title}
      </label>
      <input
        id={id}
        type="search"
        placeholder={title}
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </span>
  )
}

function Chip({ filter, value }: { filter: Filter; value: string }) {
  const [, change] = useFilters()
  const { name, title, options } = filter
  const shown = options?.find(([each]) => each === value)?.[1] ?? value
  const apply = (next: string, close: () => void) => {
    change({ [name]: next })
    close()
  }
  const { add, set, positioner, popup } = styles
  return (
    <span className={styles.chip} data-rare={(filter.isRare && value === '') || undefined}>
      <Popover
        title={title}
        classNames={{ button: value === '' ? add : set, positioner, popup }}
        button={
          value === '' ? (
            text.frame.addFilter(title)
          ) : (
            <>
              {title} <b>{shown}</b>
            </>
          )
        }
      >
        {(close) => <Editor filter={filter} value={value} onApply={(next) => apply(next, close)} />}
      </Popover>
      {value !== '' && (
        <button
          type="button"
          className={styles.remove}
          aria-label={text.frame.removeFilter(title)}
          onClick={() => change({ [name]: undefined })}
        >
          ×
        </button>
      )}
    </span>
  )
}

type EditorProps = {
  readonly filter: Filter
  readonly value: string
  readonly onApply: (value: string) => void
}

function Editor({ filter: { title, options, type = 'text' }, value, onApply }: EditorProps) {
  const [typed, setTyped] = useState(value)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onApply(typed.trim())
  }
  if (options)
    return (
      <SelectField
        label={title}
        options={[['', '–'], ...options]}
        value={value}
        onChange={(event) => onApply(event.target.value)}
      />
    )
  return (
    <form className="stack tight" onSubmit={submit}>
      <Field label={title} type={type} value={typed} onChange={(event) => setTyped(event.target.value)} />
      <button type="submit" className="main">
        {text.frame.applyFilter}
      </button>
    </form>
  )
}
