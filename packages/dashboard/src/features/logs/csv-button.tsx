/** A button that saves all pages of a list as CSV. */
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useToast } from '../../components/overlays/toasts.tsx'
import { toCsv } from '../../lib/csv.ts'
import { saveText } from '../../lib/save-text.ts'
import { text } from '../../messages/text.ts'
import { errorMessages } from '../../queries/api.ts'

export type Sheet = { readonly fields: string[]; readonly data: unknown[][] }
type Texts = {
  readonly none: string
  readonly done: (count: number) => string
  /** Shown if the list has more rows than a file can contain. */
  readonly part: (count: number) => string
}
type Props<Row> = {
  readonly fileName: string
  readonly texts: Texts
  readonly readPage: (limit: number, after?: string) => Promise<{ rows: readonly Row[]; next: string | null }>
  readonly sheetOf: (rows: readonly Row[]) => Sheet
}

const PAGE = 1000
/** Few programs can open larger files, and the page keeps all rows in memory. */
const MAX_ROWS = 50_000

export function CsvButton<Row>({ fileName, texts, readPage, sheetOf }: Props<Row>) {
  const t = text.logs
  const showToast = useToast()
  const [count, setCount] = useState(0)
  const read = async (all: Row[], after?: string): Promise<{ all: Row[]; isPart: boolean }> => {
    const { rows, next } = await readPage(PAGE, after)
    all.push(...rows)
    setCount(all.length)
    return next === null || all.length >= MAX_ROWS ? { all, isPart: next !== null } : read(all, next)
  }
  const save = useMutation({
    mutationFn: () => read([]),
    onSuccess: async ({ all, isPart }) => {
      if (all.length === 0) return showToast({ title: texts.none })
      const { fields, data } = sheetOf(all)
      saveText(fileName, await toCsv(fields, data))
      showToast({ title: isPart ? texts.part(all.length) : texts.done(all.length) })
    },
    onError: (error) => showToast({ title: errorMessages(error).join(' ') }),
    onSettled: () => setCount(0),
  })
  return (
    <button type="button" disabled={save.isPending} onClick={() => save.mutate()}>
      {save.isPending ? t.exporting(count) : t.export}
    </button>
  )
}
