/** A script's additional files, chosen as a folder or one by one, and the choice of the main file. */
import { type ChangeEvent, useId, useState } from 'react'
import { SelectField } from '../../components/fields/select-field.tsx'
import { type FoundFile, foundFiles, likelyMain, readFiles } from '../../lib/read-files.ts'
import { text } from '../../messages/text.ts'
import styles from './scripts.module.css'

/** `source` is the file at `path`; `files` contains all other files. */
export type Tree = {
  readonly source: string
  readonly path: string
  readonly files: Readonly<Record<string, string>>
}

type Props = {
  readonly value: Tree
  readonly onChange: (tree: Tree) => void
  readonly onFiles: (found: readonly FoundFile[]) => Promise<void>
  readonly errors: readonly string[]
}

/** Adds files to a source tree, and reports why some were skipped. */
export function useFiles(value: Tree, onChange: (tree: Tree) => void) {
  const [errors, setErrors] = useState<readonly string[]>([])
  const take = async (found: readonly FoundFile[]) => {
    const read = await readFiles(found)
    setErrors(read.errors)
    onChange(withFiles(value, read.files))
  }
  return { errors, take }
}

export function FilesField({ value, onChange, onFiles, errors }: Props) {
  const [isOpen, setIsOpen] = useState(false)
  const paths = Object.keys(value.files).sort()
  const isShown = isOpen || paths.length > 0 || errors.length > 0
  return (
    <details className={styles.more} open={isShown} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>{text.scripts.files}</summary>
      <div className="stack tight">
        <p className="hint">{text.scripts.filesHint}</p>
        <div className="bar">
          <Choose label={text.scripts.chooseFolder} isFolder onFiles={onFiles} />
          <Choose label={text.scripts.chooseFiles} onFiles={onFiles} />
        </div>
        {errors.map((words) => (
          <p key={words} className="field-error" role="alert">
            {words}
          </p>
        ))}
        {paths.length > 0 && <PathList value={value} paths={paths} onChange={onChange} />}
      </div>
    </details>
  )
}

type ListProps = Pick<Props, 'value' | 'onChange'> & { readonly paths: readonly string[] }

function PathList({ value, paths, onChange }: ListProps) {
  return (
    <>
      <SelectField
        label={text.scripts.mainFile}
        options={[value.path, ...paths].sort().map((path) => [path, path] as const)}
        value={value.path}
        onChange={(event) => onChange(withMain(value, event.target.value))}
      />
      <ul className="rows" aria-label={text.scripts.files}>
        {paths.map((path) => (
          <li key={path}>
            <bdi className="main-text">{path}</bdi>
            <button type="button" onClick={() => onChange(without(value, path))}>
              {text.scripts.leaveOut}
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}

type ChooseProps = {
  readonly label: string
  readonly isFolder?: boolean
  readonly onFiles: Props['onFiles']
}

function Choose({ label, isFolder = false, onFiles }: ChooseProps) {
  const id = useId()
  const choose = async (event: ChangeEvent<HTMLInputElement>) => {
    const input = event.target
    await onFiles(foundFiles(input.files))
    // Allows choosing the same files again after they have changed.
    input.value = ''
  }
  return (
    <>
      <input
        id={id}
        type="file"
        multiple
        className="unseen"
        ref={(input) => void input?.toggleAttribute('webkitdirectory', isFolder)}
        onChange={choose}
      />
      <label htmlFor={id} className="button">
        {label}
      </label>
    </>
  )
}

/** The first choice selects the main file, unless a source was already entered. */
function withFiles(tree: Tree, chosen: Readonly<Record<string, string>>): Tree {
  const { [tree.path]: own, ...others } = { ...tree.files, ...chosen }
  const kept = { ...tree, source: own ?? tree.source, files: others }
  const main = likelyMain(Object.keys(others))
  return kept.source.trim() === '' && main !== undefined ? withMain(kept, main) : kept
}

function withMain({ source, path, files }: Tree, main: string): Tree {
  const { [main]: chosen = source, ...others } = files
  if (main === path) return { source, path, files }
  return { source: chosen, path: main, files: source.trim() === '' ? others : { ...others, [path]: source } }
}

function without(tree: Tree, path: string): Tree {
  const { [path]: _, ...files } = tree.files
  return { ...tree, files }
}
