import { FileLink } from "../parts/file";
import { size } from "../parts/words";
import { ChangeTable } from "../question/change-table";
import type { ObjectDocument } from "../wire";

/** The content of an object that is no page: sections, changes as rows, files. */
export function ObjectSections({ detail }: { detail: ObjectDocument }) {
  return (
    <>
      {detail.changes.length > 0 && <ChangeTable rows={detail.changes} />}
      {detail.sections.map((section) => (
        <section key={section.title} aria-label={section.title} className="object-section">
          <h3>{section.title}</h3>
          {section.text && <p className="lines">{section.text}</p>}
          {section.rows.length > 0 && (
            <table className="rows">
              <thead>
                <tr>
                  {section.columns.map((each) => (
                    <th scope="col" key={each}>
                      {each}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {section.rows.map((row, index) => (
                  <tr key={index}>
                    {row.map((each, column) => (
                      <td key={column}>{each}</td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </section>
      ))}
      {detail.files.length > 0 && <Files detail={detail} />}
    </>
  );
}

function Files({ detail }: { detail: ObjectDocument }) {
  return (
    <section aria-label="Files" className="object-section">
      <h3>Files</h3>
      <table className="rows">
        <tbody>
          {detail.files.map((file) => (
            <tr key={file.digest}>
              <td>
                <FileLink file={file} />
              </td>
              <td className="r">{size(file.size)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
