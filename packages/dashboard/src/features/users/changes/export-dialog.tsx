/** Exports exactly the selected users, or all who match the filters, in the order of the list. */
import { useMutation } from '@tanstack/react-query'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { SelectField } from '../../../components/fields/select-field.tsx'
import { FormDialog } from '../../../components/overlays/dialog.tsx'
import type { Toast } from '../../../components/overlays/undo-button.tsx'
import { useFilters } from '../../../lib/address.ts'
import { saveText } from '../../../lib/save-text.ts'
import { text } from '../../../messages/text.ts'
import { useCall } from '../../../queries/api.ts'
import { useProject } from '../../../queries/projects.ts'
import { usersQuery } from '../queries.ts'
import type { User } from '../user.ts'
import { closeOf, type Format, partOf } from './export-text.ts'

type Props = {
  /** The selected users; omit to export all who match the filters. */
  readonly users: readonly User[] | undefined
  readonly onToast: (toast: Toast) => void
  readonly onClose: () => void
}

export function ExportDialog({ users, onToast, onClose }: Props) {
  const t = text.users
  const { name } = useProject()
  const [format, setFormat] = useState<Format>('csv')
  const [done, setDone] = useState(0)
  const isOpen = useIsOpen()
  const pages = usePages(users, isOpen)
  const write = useMutation({
    networkMode: 'always',
    mutationFn: async () => {
      const parts: string[] = []
      let count = 0
      for await (const page of pages()) {
        parts.push(partOf(format, page, count === 0))
        count += page.length
        setDone(count)
      }
      if (!isOpen.current) return undefined
      saveText(`${name}.users.${format}`, [...parts, closeOf(format, count === 0)])
      return count
    },
    onSuccess: (count) => {
      if (count === undefined) return
      onToast({ title: t.exported(count) })
      onClose()
    },
  })
  return (
    <FormDialog
      title={users ? t.exportSelected(users.length) : t.exportMatching}
      submit={t.export}
      isPending={write.isPending}
      error={write.error}
      onSubmit={() => write.mutate()}
      onClose={onClose}
    >
      <p>{users ? t.exportSelectedWords : t.exportMatchingWords}</p>
      <SelectField
        label={t.exportType}
        value={format}
        options={[
          ['csv', t.exportCsv],
          ['json', t.exportPlainJson],
        ]}
        onChange={(event) => setFormat(event.target.value === 'json' ? 'json' : 'csv')}
      />
      {write.isPending && <p role="status">{t.exporting(done)}</p>}
    </FormDialog>
  )
}

const PAGE = 1000

/** Becomes false when the dialog is closed, even if its requests are still running. */
function useIsOpen(): RefObject<boolean> {
  const isOpen = useRef(true)
  useEffect(() => {
    isOpen.current = true
    return () => {
      isOpen.current = false
    }
  }, [])
  return isOpen
}

/** Reads the users page by page. Stops when the dialog is closed. */
function usePages(users: readonly User[] | undefined, isOpen: RefObject<boolean>) {
  const call = useCall()
  const { id } = useProject()
  const [given] = useFilters()
  return async function* pages(): AsyncGenerator<readonly User[]> {
    if (users) return yield users
    const { queryFn } = usersQuery(call, id, given, PAGE)
    for (let after: string | undefined; ; ) {
      const { rows, next } = await queryFn({ pageParam: after })
      yield rows
      if (next === null || !isOpen.current) return
      after = next
    }
  }
}
