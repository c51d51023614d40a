/** Saved views of a list, as tabs: filters, sort order and columns under a name. */
import { useState } from 'react'
import { readQuery, useFilters } from '../../lib/address.ts'
import { copyText } from '../../lib/copy-text.ts'
import { text } from '../../messages/text.ts'
import { type SavedView, useChangeViews, useViews } from '../../queries/views.ts'
import { Field } from '../fields/field.tsx'
import { useFormErrors } from '../fields/form-errors.ts'
import { useKept, useKeptState } from '../fields/use-kept.ts'
import { FormDialog } from '../overlays/dialog.tsx'
import { Menu, MenuItem } from '../overlays/menu.tsx'
import { useToast } from '../overlays/toasts.tsx'
import styles from './view-tab.module.css'
import { ViewTab } from './view-tab.tsx'

type Props = {
  readonly list: string
  /** URL parameters of the list, to which the sort order is added. */
  readonly names: readonly string[]
  readonly columns: { readonly off: readonly string[]; readonly setOff: (off: readonly string[]) => void }
}

/** The open dialog: a new view, or the name of an existing one. */
type Naming = { readonly view?: SavedView } | null

export function SavedViews({ list, names, columns: { off, setOff } }: Props) {
  const t = text.frame.views
  const [given, change] = useFilters()
  const views = useViews(list)
  const [naming, setNaming] = useState<Naming>(null)
  const query = queryOfList(given, names)
  const open = (view: SavedView) => {
    const asked = readQuery(view.query)
    change(Object.fromEntries([...names, ...ORDER].map((name) => [name, asked[name]])))
    if (view.columns) setOff(view.columns)
  }
  const current = views.find((view) => view.query === query)
  const isPlain = query === '' || /^status=[a-z_]+$/.test(query)
  return (
    <>
      {views.map((view) => (
        <span key={view.name} className={styles.saved}>
          <ViewTab isChosen={view === current} onChoose={() => open(view)}>
            {view.name}
          </ViewTab>
          {view === current && <ViewMenu view={view} onRename={() => setNaming({ view })} />}
        </span>
      ))}
      {!isPlain && current === undefined && (
        <button type="button" className={`quiet ${styles.save}`} onClick={() => setNaming({})}>
          {t.save}
        </button>
      )}
      {naming && (
        <NameDialog
          view={naming.view ?? { list, name: '', query, columns: [...off] }}
          isNew={naming.view === undefined}
          taken={views.map(({ name }) => name)}
          onClose={() => setNaming(null)}
        />
      )}
    </>
  )
}

const ORDER = ['sort', 'order'] as const

/** Returns whether the URL exactly matches a saved view. */
export function useIsSavedView(list: string, names: readonly string[]): boolean {
  const [given] = useFilters()
  const query = queryOfList(given, names)
  return useViews(list).some((view) => view.query === query)
}

function queryOfList(given: Readonly<Record<string, string | undefined>>, names: readonly string[]): string {
  const set = [...names, ...ORDER].flatMap((name) =>
    given[name] ? [[name, given[name]] as [string, string]] : [],
  )
  return new URLSearchParams(set).toString()
}

const isSame = (one: SavedView, other: SavedView) => one.list === other.list && one.name === other.name

function ViewMenu({ view, onRename }: { view: SavedView; onRename: () => void }) {
  const t = text.frame.views
  const showToast = useToast()
  const change = useChangeViews()
  const copy = async () =>
    showToast({ title: (await copyText(location.href)) ? t.copied : text.frame.copyFailed })
  const remove = () =>
    change.mutate((views) => views.filter((each) => !isSame(each, view)), {
      onSuccess: () => showToast({ title: t.removed(view.name) }),
      onError: () => showToast({ title: t.notSaved }),
    })
  return (
    <Menu label={t.menu(view.name)}>
      <MenuItem onClick={onRename}>{t.rename}</MenuItem>
      <MenuItem onClick={copy}>{t.copy}</MenuItem>
      <MenuItem isDanger onClick={remove}>
        {t.remove}
      </MenuItem>
    </Menu>
  )
}

type NameProps = {
  readonly view: SavedView
  readonly isNew: boolean
  readonly taken: readonly string[]
  readonly onClose: () => void
}

const MAX_NAME = 60

function NameDialog({ view, isNew, taken, onClose }: NameProps) {
  const t = text.frame.views
  const kept = useKept('view', `${view.list} ${isNew ? '' : view.name}`)
  const [typed, setTyped] = useKeptState(kept, 'name', view.name)
  const change = useChangeViews(() => kept.forget())
  const errors = useFormErrors(change.error)
  const name = typed.trim()
  const save = () => {
    const isWrong = name === '' || [...name].length > MAX_NAME
    const isTaken = name !== view.name && taken.includes(name)
    if (!errors.check({ name: isWrong ? t.nameWrong : isTaken ? t.nameTaken : undefined })) return
    const named = { ...view, name }
    const put = (views: readonly SavedView[]) =>
      isNew ? [...views, named] : views.map((each) => (isSame(each, view) ? named : each))
    change.mutate(put, { onSuccess: onClose })
  }
  return (
    <FormDialog
      kept={kept}
      title={isNew ? t.save : t.rename}
      submit={text.save}
      isPending={change.isPending}
      error={errors.rest}
      onSubmit={save}
      onClose={onClose}
    >
      <Field
        label={t.name}
        hint={t.nameHint}
        autoComplete="off"
        value={typed}
        error={errors.of('name')}
        onChange={(event) => setTyped(event.target.value)}
      />
    </FormDialog>
  )
}
