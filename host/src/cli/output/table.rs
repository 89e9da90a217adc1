//! Aligned columns that fit the terminal, and lists of facts.

use anstyle::Style;

use super::style::{self, styled};
use super::text::{cut, one_line, width};

/// Columns between two columns of a table.
const GAP: usize = 2;

/// Flexible columns are never made narrower.
const NARROWEST: usize = 8;

/// How a column lays out its cells.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    heading: &'static str,
    style: Style,
    right: bool,
    flexible: bool,
    least: usize,
}

impl Column {
    pub(crate) const fn new(heading: &'static str, style: Style) -> Self {
        Self {
            heading,
            style,
            right: false,
            flexible: false,
            least: 0,
        }
    }

    /// Aligns the cells to the right, as numbers are.
    pub(crate) const fn right(mut self) -> Self {
        self.right = true;
        self
    }

    /// Lets the cells be cut where the table is too wide.
    pub(crate) const fn flexible(mut self) -> Self {
        self.flexible = true;
        self
    }

    /// Makes the column at least so wide, so that the parts of a table that
    /// goes on are aligned.
    pub(crate) const fn at_least(mut self, columns: usize) -> Self {
        self.least = columns;
        self
    }
}

/// A row, and what is said below it.
#[derive(Debug)]
struct Row {
    cells: Vec<String>,
    below: Vec<(Style, String)>,
}

/// A table with headings.
#[derive(Debug)]
pub(crate) struct Table {
    columns: Vec<Column>,
    rows: Vec<Row>,
}

impl Table {
    pub(crate) fn new(columns: impl Into<Vec<Column>>) -> Self {
        Self {
            columns: columns.into(),
            rows: Vec::new(),
        }
    }

    /// Adds a row with a cell for each column.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(Row {
            cells: cells.into_iter().map(|cell| one_line(&cell)).collect(),
            below: Vec::new(),
        });
    }

    /// Adds a piece to the line below the last row; empty pieces are left out.
    pub(crate) fn below(&mut self, style: Style, piece: &str) {
        let piece = one_line(piece);
        if let Some(row) = self.rows.last_mut().filter(|_| !piece.is_empty()) {
            row.below.push((style, piece));
        }
    }

    /// Lays the table out in at most `available` columns, else in as many as
    /// it needs. Each line ends in a line break.
    pub(crate) fn render(&self, available: Option<usize>) -> String {
        let headings: Vec<_> = self
            .columns
            .iter()
            .map(|column| column.heading.to_owned())
            .collect();
        let widths = self.widths(available);
        let headings = self.line(&headings, &widths, |_| style::FAINT);
        headings + &self.render_rows(available)
    }

    /// Lays the table out without its headings.
    pub(crate) fn render_rows(&self, available: Option<usize>) -> String {
        let widths = self.widths(available);
        let indent = widths.first().map_or(0, |first| first + GAP);
        let mut rendered = String::new();
        for row in &self.rows {
            rendered += &self.line(&row.cells, &widths, |column| column.style);
            rendered += &below(&row.below, indent, available);
        }
        rendered
    }

    fn line(&self, cells: &[String], widths: &[usize], style: impl Fn(&Column) -> Style) -> String {
        let mut line = String::new();
        let mut pending = 0;
        for ((column, cell), available) in self.columns.iter().zip(cells).zip(widths) {
            let cell = cut(cell, *available);
            let padding = available.saturating_sub(width(&cell));
            let (before, after) = if column.right {
                (padding, 0)
            } else {
                (0, padding)
            };
            line += &" ".repeat(pending + before);
            line += &styled(style(column), &cell);
            pending = after + GAP;
        }
        format!("{}\n", line.trim_end())
    }

    fn widths(&self, available: Option<usize>) -> Vec<usize> {
        let mut widths: Vec<usize> = self
            .columns
            .iter()
            .map(|column| width(column.heading).max(column.least))
            .collect();
        for row in &self.rows {
            for (widest, cell) in widths.iter_mut().zip(&row.cells) {
                *widest = (*widest).max(width(cell));
            }
        }
        if let Some(available) = available {
            self.shrink(&mut widths, available);
        }
        widths
    }

    /// Takes from the widest flexible column until the table fits.
    fn shrink(&self, widths: &mut [usize], available: usize) {
        let gaps = GAP * widths.len().saturating_sub(1);
        while widths.iter().sum::<usize>() + gaps > available {
            let flexible = self.columns.iter().zip(widths.iter_mut());
            let widest = flexible
                .filter(|(column, width)| column.flexible && **width > NARROWEST)
                .max_by_key(|(_, width)| **width);
            let Some((_, width)) = widest else { return };
            *width -= 1;
        }
    }
}

/// The line below a row, cut where the terminal ends.
fn below(pieces: &[(Style, String)], indent: usize, available: Option<usize>) -> String {
    if pieces.is_empty() {
        return String::new();
    }
    let mut room = available.map(|available| available.saturating_sub(indent));
    let mut shown = Vec::new();
    for (style, piece) in pieces {
        if room.is_some_and(|room| room == 0) {
            break;
        }
        let piece = room.map_or_else(|| piece.clone(), |room| cut(piece, room));
        room = room.map(|room| room.saturating_sub(width(&piece) + GAP));
        shown.push(styled(*style, &piece));
    }
    format!("{}{}\n", " ".repeat(indent), shown.join(&" ".repeat(GAP)))
}

/// Facts, one a line: a name and what is to be said. Facts without a value
/// are left out.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    facts: Vec<(&'static str, Style, String)>,
}

impl Facts {
    /// Adds a fact.
    pub(crate) fn add(&mut self, name: &'static str, value: impl AsRef<str>) {
        self.add_in(style::PLAIN, name, value);
    }

    /// Adds a fact in a style.
    pub(crate) fn add_in(&mut self, style: Style, name: &'static str, value: impl AsRef<str>) {
        let value = one_line(value.as_ref());
        if !value.is_empty() {
            self.facts.push((name, style, value));
        }
    }

    /// Adds one fact for each value, under one name.
    pub(crate) fn each<T: AsRef<str>>(
        &mut self,
        style: Style,
        name: &'static str,
        values: impl IntoIterator<Item = T>,
    ) {
        for value in values {
            self.add_in(style, name, value);
        }
    }

    /// Lays the facts out with their values below each other. A name that
    /// repeats is said once.
    pub(crate) fn render(&self) -> String {
        let widest = self.facts.iter().map(|(name, ..)| width(name)).max();
        let indent = widest.unwrap_or(0) + GAP;
        let mut rendered = String::new();
        let mut last = "";
        for (name, style, value) in &self.facts {
            let told = if *name == last { "" } else { *name };
            let padding = " ".repeat(indent - width(told));
            let told = styled(style::FAINT, told);
            rendered += &format!("{told}{padding}{}\n", styled(*style, value));
            last = *name;
        }
        rendered
    }
}

#[cfg(test)]
mod tests {
    use super::style::PLAIN;
    use super::*;

    fn bare(rendered: &str) -> String {
        anstream::adapter::strip_str(rendered).to_string()
    }

    fn table() -> Table {
        let mut table = Table::new([
            Column::new("#", PLAIN).right(),
            Column::new("title", PLAIN).flexible(),
            Column::new("kind", PLAIN),
        ]);
        table.row(["1".into(), "深色主题的终端".into(), "fact".into()]);
        table.below(PLAIN, "m-1");
        table.below(PLAIN, "");
        table.below(PLAIN, "偏好深色主题");
        table.row(["10".into(), "Tabs".into(), "decision".into()]);
        table
    }

    #[test]
    fn columns_are_aligned() {
        let expected = [
            " #  title           kind",
            " 1  深色主题的终端  fact",
            "    m-1  偏好深色主题",
            "10  Tabs            decision",
        ];
        let rendered = bare(&table().render(None));
        assert_eq!(rendered.lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_table_fits_its_terminal() {
        let expected = [
            " #  title        kind",
            " 1  深色主题的…  fact",
            "    m-1  偏好深色主题",
            "10  Tabs         decision",
        ];
        let rendered = bare(&table().render(Some(25)));
        assert_eq!(rendered.lines().collect::<Vec<_>>(), expected);
        let narrower = bare(&table().render(Some(24)));
        assert!(narrower.contains(" 1  深色主题…   fact\n"), "{narrower}");
    }

    #[test]
    fn the_line_below_fits_too() {
        let rendered = bare(&table().render(Some(18)));
        assert!(rendered.contains("\n    m-1  偏好深色…\n"), "{rendered}");
    }

    #[test]
    fn a_table_that_goes_on_stays_aligned() {
        let part = |title: &str| {
            let mut table = Table::new([
                Column::new("title", PLAIN).at_least(8),
                Column::new("kind", PLAIN),
            ]);
            table.row([title.into(), "fact".into()]);
            table
        };
        let whole = bare(&part("Tabs").render(None)) + &bare(&part("Spaces").render_rows(None));
        assert_eq!(whole, "title     kind\nTabs      fact\nSpaces    fact\n");
    }

    #[test]
    fn flexible_columns_keep_something_to_read() {
        let rendered = bare(&table().render(Some(5)));
        assert!(rendered.contains("深色主…"), "{rendered}");
    }

    #[test]
    fn a_cell_cannot_break_the_table() {
        let mut table = Table::new([Column::new("title", PLAIN)]);
        table.row(["two\nlines\x1b[2J".into()]);
        assert_eq!(bare(&table.render(None)), "title\ntwo lines\u{fffd}[2J\n");
    }

    #[test]
    fn facts_are_aligned_and_named_once() {
        let mut facts = Facts::default();
        facts.add("id", "m-1");
        facts.add("origin", "");
        facts.each(PLAIN, "repaired", ["title", "tags"]);
        assert_eq!(
            bare(&facts.render()),
            "id        m-1\nrepaired  title\n          tags\n"
        );
    }
}
