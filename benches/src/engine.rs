//! The two engines that are compared, under one set of calls: the component
//! inside wasmtime, as the library `inkvault` runs it, and the same code
//! compiled for this machine.

use std::path::Path;

use anyhow::Result;
use inkvault_guest::environment::Native;

/// Where the engine runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// The component inside wasmtime.
    Wasm,
    /// This machine's own code.
    Native,
}

impl Engine {
    /// Both.
    pub const BOTH: [Engine; 2] = [Engine::Wasm, Engine::Native];

    /// What it is called in tables.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Wasm => "wasm",
            Engine::Native => "native",
        }
    }

    /// A vault as a program has it that has just started: nothing is read yet.
    ///
    /// # Errors
    /// Those of the engine and the directory.
    pub fn vault(self, directory: &Path) -> Result<Vault> {
        Ok(match self {
            Engine::Wasm => Vault::Wasm(Box::new(inkvault::Vault::open(directory)?)),
            Engine::Native => {
                let native = Native::open(directory)?;
                let vault = inkvault_guest::vault::Vault::new(Box::new(native));
                Vault::Native(Box::new(vault))
            }
        })
    }

    /// A vault whose first call was made: index in memory.
    ///
    /// # Errors
    /// Those of the engine and the directory.
    pub fn opened(self, directory: &Path) -> Result<Vault> {
        let mut vault = self.vault(directory)?;
        vault.look()?;
        Ok(vault)
    }
}

/// A vault in one of the engines.
pub enum Vault {
    /// Inside wasmtime.
    Wasm(Box<inkvault::Vault>),
    /// On this machine.
    Native(Box<inkvault_guest::vault::Vault>),
}

impl Vault {
    /// The cheapest call that opens the vault: a search that finds nothing.
    ///
    /// # Errors
    /// The engine's.
    pub fn look(&mut self) -> Result<()> {
        self.search("").map(drop)
    }

    /// Searches and gives the number of hits.
    ///
    /// # Errors
    /// The engine's.
    pub fn search(&mut self, query: &str) -> Result<usize> {
        Ok(match self {
            Vault::Wasm(vault) => vault.search(query, &Default::default())?.len(),
            Vault::Native(vault) => vault.search(query, &Default::default())?.len(),
        })
    }

    /// Recalls and gives the number of memories in the text.
    ///
    /// # Errors
    /// The engine's.
    pub fn recall(&mut self, query: &str) -> Result<usize> {
        let query = Some(query.to_owned());
        Ok(match self {
            Vault::Wasm(vault) => {
                let request = inkvault::vault::RecallRequest {
                    query,
                    ..Default::default()
                };
                vault.recall(&request)?.items.len()
            }
            Vault::Native(vault) => {
                let request = inkvault_guest::vault::RecallRequest {
                    query,
                    ..Default::default()
                };
                vault.recall(&request)?.items.len()
            }
        })
    }

    /// Writes a new memory.
    ///
    /// # Errors
    /// The engine's.
    pub fn write(&mut self, text: &str) -> Result<()> {
        let body = Some(text.to_owned());
        match self {
            Vault::Wasm(vault) => {
                let draft = inkvault::vault::Draft {
                    body,
                    ..Default::default()
                };
                vault.write(&draft)?;
            }
            Vault::Native(vault) => {
                let draft = inkvault_guest::vault::Draft {
                    body,
                    ..Default::default()
                };
                vault.write(&draft)?;
            }
        }
        Ok(())
    }

    /// Builds the index anew, writes the files for other tools, and gives the
    /// number of memories.
    ///
    /// # Errors
    /// The engine's.
    pub fn rebuild_index(&mut self) -> Result<u32> {
        Ok(match self {
            Vault::Wasm(vault) => vault.rebuild_index()?.memories,
            Vault::Native(vault) => vault.rebuild_index()?.memories,
        })
    }
}
