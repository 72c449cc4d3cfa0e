/** An answer without its citation marks, for places where they can't be opened. */

/** As the server writes them: a number after an invisible separator, which a model can't write. */
const MARK = /\s?\[\u2063\d{1,4}\]/g;

export const withoutMarks = (answer: string): string => answer.replace(MARK, "");
