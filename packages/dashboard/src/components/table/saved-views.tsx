/** A list's saved views, as tabs: filters, sort order and columns under a name. */
import { lazy, Suspense, useState } from 'react'
import { readQuery, useFilters } from '../../lib/address.ts'
import { copyText } from '../../lib/copy-text.ts'
import { text } from '../../messages/text.ts'
import { isSame, type SavedView, useChangeViews, useViews } from '../../queries/views.ts'
import { Menu, MenuItem } from '../overlays/menu.tsx'
import { useToast } from '../overlays/toasts.tsx'
import styles from './view-tab.module.css'
import { ViewTab } from './view-tab.tsx'

const NameDialog = lazy(async () => ({ default: (await import('./view-name-dialog.tsx')).NameDialog }))

type Props = {
  readonly list: string
  /** Names of the list's URL parameters. Sort parameters are added to them. */
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
      <Suspense>
        {naming && (
          <NameDialog
            view={naming.view ?? { list, name: '', query, columns: [...off] }}
            isNew={naming.view === undefined}
            taken={views.map(({ name }) => name)}
            onClose={() => setNaming(null)}
          />
        )}
      </Suspense>
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
