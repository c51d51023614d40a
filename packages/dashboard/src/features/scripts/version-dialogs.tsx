/** Dialogs about one version. */
import { v1ScriptVersionsTest } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { CodeDiff } from '../../components/code/code-diff.tsx'
import { CodeEditor } from '../../components/code/code-editor.tsx'
import { SelectField } from '../../components/fields/select-field.tsx'
import { GuardedButton } from '../../components/guarded.tsx'
import { Dialog } from '../../components/overlays/dialog.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { bytes } from '../../lib/format.ts'
import { saveText } from '../../lib/save-text.ts'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import type { Tree } from './files-field.tsx'
import { type Comparison, type Script, useComparison, useUpload, type Version, WRITE } from './queries.ts'
import styles from './scripts.module.css'
import { changedFiles, filesOf, mainPathOf, type Upload } from './tree-files.ts'

type Props = { readonly script: Script; readonly version: number; readonly onClose: () => void }

export function SourceDialog({ script, version, onClose, onEdit }: Props & { onEdit: (tree: Tree) => void }) {
  const query = useUpload(script.id, version)
  const edit = (upload: Upload) => {
    onClose()
    onEdit({ source: upload.source, path: mainPathOf(upload), files: upload.files ?? {} })
  }
  return (
    <Dialog title={text.scripts.sourceTitle(version)} isWide onClose={onClose}>
      <QueryBoundary query={query}>
        {query.data && <Files script={script} version={version} upload={query.data} onEdit={edit} />}
        <Proof script={script} version={version} />
      </QueryBoundary>
    </Dialog>
  )
}

type FilesProps = {
  readonly script: Script
  readonly version: number
  readonly upload: Upload
  readonly onEdit: (upload: Upload) => void
}

function Files({ script, version, upload, onEdit }: FilesProps) {
  const main = mainPathOf(upload)
  const files = filesOf(upload)
  const [path, setPath] = useState(main)
  const source = files.get(path) ?? ''
  return (
    <>
      {files.size > 1 && (
        <SelectField
          label={text.scripts.file}
          options={[...files.keys()].map((each) => [each, each === main ? text.scripts.mainOf(each) : each])}
          value={path}
          onChange={(event) => setPath(event.target.value)}
        />
      )}
      <CodeEditor label={text.scripts.sourceTitle(version)} value={source} />
      <div className="bar end">
        <SaveButton script={script} version={version} path={path} source={source} isOne={files.size === 1} />
        <GuardedButton needs={WRITE} className="main" onClick={() => onEdit(upload)}>
          {text.scripts.edit}
        </GuardedButton>
      </div>
    </>
  )
}

/**
 * Compares two versions. The initial base is the live version, or the previous version if the live one was
 * chosen.
 */
export function CompareDialog({ script, version, others, onClose }: Props & { others: readonly Version[] }) {
  const [base, setBase] = useState(version === script.version ? Math.max(1, version - 1) : script.version)
  const [before, after] = [Math.min(version, base), Math.max(version, base)]
  const numbers = others.map((each) => each.version).filter((each) => each !== version)
  return (
    <Dialog title={text.scripts.compareTitle(before, after)} isWide onClose={onClose}>
      <SelectField
        label={text.scripts.compareBase}
        options={numbers.map((each) => [String(each), text.scripts.versionOf(each)])}
        value={String(base)}
        onChange={(event) => setBase(Number(event.target.value))}
      />
      <Compared key={`${before} ${after}`} script={script} before={before} after={after} />
    </Dialog>
  )
}

type ComparedProps = { readonly script: Script; readonly before: number; readonly after: number }

function Compared({ script, before, after }: ComparedProps) {
  const [one, other] = [useUpload(script.id, before), useUpload(script.id, after)]
  const query = useComparison(script.id, before, after)
  return (
    <QueryBoundary query={query}>
      <QueryBoundary query={one}>
        <QueryBoundary query={other}>
          {query.data && <Differences comparison={query.data} />}
          {query.data && one.data && other.data && (
            <Changes
              script={script}
              numbers={[before, after]}
              uploads={[one.data, other.data]}
              comparison={query.data}
            />
          )}
        </QueryBoundary>
      </QueryBoundary>
    </QueryBoundary>
  )
}

/** Compares the sizes of two versions, and lists the build options that differ. */
function Differences({ comparison: { from, to, options } }: { readonly comparison: Comparison }) {
  const t = text.scripts
  const sizesOf = (one: Version) => ({ source: bytes(one.source_bytes), output: bytes(one.protected_bytes) })
  return (
    <>
      <p>{t.comparedSizes(sizesOf(from), sizesOf(to))}</p>
      {options.length > 0 && (
        <section className="stack tight">
          <h3>{t.comparedOptions}</h3>
          <ul className={styles.warnings}>
            {options.map((one) => (
              <li key={one.id}>
                <code>{one.id}</code>: {shownValue(one.from)} → {shownValue(one.to)}
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

function shownValue(value: string | number | boolean | null): string {
  return value === null ? text.scripts.optionUnset : String(value)
}

type ChangesProps = {
  readonly script: Script
  readonly numbers: readonly [number, number]
  readonly uploads: readonly [Upload, Upload]
  readonly comparison: Comparison
}

/** Shows one file at a time, because a large number of editors would freeze the page. */
function Changes({ script, numbers: [before, after], uploads: [one, other], comparison }: ChangesProps) {
  const changed = changedFiles(one, other)
  const [path, setPath] = useState(changed[0]?.path)
  const shown = changed.find((each) => each.path === path)
  const isOne = one.files === null && other.files === null
  if (shown === undefined) return <p>{text.scripts.same}</p>
  const saving = { script, path: shown.path, isOne }
  const compared = comparison.files.find((each) => each.path === shown.path)
  return (
    <>
      {!isOne && (
        <SelectField
          label={text.scripts.changedFiles(changed.length)}
          options={changed.map((each) => [each.path, text.scripts.fileStates[each.state](each.path)])}
          value={shown.path}
          onChange={(event) => setPath(event.target.value)}
        />
      )}
      <CodeDiff
        key={shown.path}
        label={text.scripts.diffLabel(before, after)}
        before={shown.before}
        after={shown.after}
        unified={compared?.diff ?? null}
      />
      {compared && <p>{text.scripts.lineCounts(compared.added_lines, compared.removed_lines)}</p>}
      <div className="bar end">
        {shown.state !== 'added' && <SaveButton {...saving} version={before} source={shown.before} />}
        {shown.state !== 'removed' && <SaveButton {...saving} version={after} source={shown.after} />}
      </div>
    </>
  )
}

type SaveProps = {
  readonly script: Script
  readonly version: number
  readonly path: string
  readonly source: string
  /** Whether the version consists of a single file. */
  readonly isOne: boolean
}

function SaveButton({ script, version, path, source, isOne }: SaveProps) {
  const file = isOne ? 'lua' : path.replaceAll('/', '.')
  return (
    <button type="button" onClick={() => saveText(`${script.name}.v${version}.${file}`, source)}>
      {isOne ? text.scripts.saveSource(version) : text.scripts.saveFile(path, version)}
    </button>
  )
}

function Proof({ script, version }: { script: Script; version: number }) {
  const call = useCall()
  const path = { script_id: script.id, n: version }
  const query = useQuery({
    queryKey: ['script', script.id, 'test', version],
    queryFn: async () => (await v1ScriptVersionsTest({ ...call, path })).data.test_script,
  })
  if (!query.data) return null
  return (
    <>
      <h3>{text.scripts.provedBy}</h3>
      <CodeEditor label={text.scripts.provedBy} value={query.data} />
    </>
  )
}
